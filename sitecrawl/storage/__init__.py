"""What is kept between crawls: sites, pages, bodies, templates, contents. SQLAlchemy on SQLite or PostgreSQL."""
