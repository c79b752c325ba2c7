"""One crawl of one site: the state shared by the spider, the middlewares and the pipelines. Uses SQL, not Scrapy."""
