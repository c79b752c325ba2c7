"""Crawls of many sites: one process a site, started fast, with one feed for all."""
