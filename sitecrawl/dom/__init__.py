"""Pages as data: one parse, one walk, then columns. Depends on lxml and on no other package of sitecrawl."""
