"""Names that change where they lead, asked of a real DNS server in a network namespace of its own."""
