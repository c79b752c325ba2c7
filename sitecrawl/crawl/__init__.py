"""One crawl of one site: the state that the spider, the middlewares and the pipelines share. Knows SQL, not Scrapy."""
