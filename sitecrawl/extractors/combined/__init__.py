"""`combined`, the production method: block features, a block classifier, the content region, the kind of page."""
