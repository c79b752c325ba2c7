"""The methods of the papers once more: written from the papers alone, without a line of the package's methods.

They are slow and plain, and read lxml trees. What a paper leaves open is given to them: the equality of nodes and its
labels, the list of structural tags, the links of a page, tau and theta.
"""
