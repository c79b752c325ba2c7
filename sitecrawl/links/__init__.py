"""Links to pages of the same site: which URLs are one page, which are worth fetching, in what order."""
