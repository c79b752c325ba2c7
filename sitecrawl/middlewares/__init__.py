"""What stands between the spider, the engine and the network."""
