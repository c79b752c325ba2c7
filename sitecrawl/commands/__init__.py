"""Commands of the project: each file is one."""
