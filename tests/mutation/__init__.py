"""Mutation testing: random changes of the code, which unit tests must notice."""
