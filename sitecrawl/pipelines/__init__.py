"""What happens to a fetched page: learn, then extract."""
