"""`combined`, the production method: block features, a block classifier, the content region, and the kind of page."""
