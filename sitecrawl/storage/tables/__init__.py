"""The tables: columns, keys, indexes. Only storage and the migrations import them."""
