"""What a person says about one site: it beats the template. Files of selectors, read strictly, applied to pages."""
