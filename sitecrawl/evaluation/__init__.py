"""Evaluation of extraction methods: gold pages, metrics, peers, and comparison reports."""
