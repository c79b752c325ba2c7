"""Scrapy middlewares: robots.txt, guards, backoff, circuit breaker, decompression and link selection."""
