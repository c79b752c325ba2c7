"""Methods that choose the main content of a page: one file a method, behind the one interface in `base`."""
