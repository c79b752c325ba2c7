"""Crawls of many sites: one fast-starting process per site, with one feed for all."""
