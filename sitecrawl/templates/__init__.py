"""Templates: what the pages of a site share, counted in bounded memory and published in versions."""
