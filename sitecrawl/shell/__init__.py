"""Everything that is Scrapy or a terminal and is neither spider, middleware, pipeline nor command."""
