"""Integration with Scrapy and the terminal, apart from spiders, middlewares, pipelines and commands."""
