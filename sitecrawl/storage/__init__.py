"""What is kept between crawls: sites, pages, bodies, templates, contents. SQLite or PostgreSQL."""
