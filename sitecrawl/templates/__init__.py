"""What the pages of a site share: counted, kept small, published in versions."""
