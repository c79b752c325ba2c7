"""Methods of published papers, one module each."""
