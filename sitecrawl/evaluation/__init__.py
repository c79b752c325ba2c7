"""How good the methods are: gold pages, metrics, peers, and tables that set them side by side."""
