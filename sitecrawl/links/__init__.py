"""Links between pages of one site: URL identity, scope, traps and the order of fetching."""
