-- All tables of schema 0023, as the migrations make them: a new database is made by this script alone.
-- Written by `make schema`; tests compare what it makes with what the migrations make.

CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE site (
	id INTEGER NOT NULL,
	host VARCHAR(253) NOT NULL,
	start_url TEXT NOT NULL,
	created_at DATETIME NOT NULL,
	next_crawl_at DATETIME,
	lease_owner TEXT,
	leased_until DATETIME,
	options JSON, reach TEXT, lease_epoch INTEGER DEFAULT '0' NOT NULL, paused_at DATETIME, address TEXT, deaths INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT pk_site PRIMARY KEY (id),
	CONSTRAINT uq_site_host UNIQUE (host)
);

CREATE TABLE crawl (
	id INTEGER NOT NULL,
	site_id INTEGER NOT NULL,
	started_at DATETIME NOT NULL,
	finished_at DATETIME,
	reason TEXT,
	stats JSON,
	CONSTRAINT pk_crawl PRIMARY KEY (id),
	CONSTRAINT fk_crawl_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
);

CREATE INDEX ix_crawl_site_id ON crawl (site_id);

CREATE TABLE page (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	url TEXT NOT NULL,
	status SMALLINT NOT NULL,
	reason TEXT,
	http_status SMALLINT,
	depth SMALLINT NOT NULL,
	hyperlink_distance SMALLINT,
	dom_distance SMALLINT,
	priority INTEGER DEFAULT '0' NOT NULL,
	discovery INTEGER NOT NULL,
	crawl_id INTEGER,
	fetch_order INTEGER,
	sample JSON,
	learned_version INTEGER,
	etag TEXT,
	last_modified TEXT,
	errors SMALLINT DEFAULT '0' NOT NULL,
	discovered_at DATETIME NOT NULL,
	fetched_at DATETIME,
	changed_at DATETIME,
	fetch_interval INTEGER,
	next_fetch_at DATETIME, strikes SMALLINT DEFAULT '0' NOT NULL, fetches INTEGER DEFAULT '0' NOT NULL, not_modified SMALLINT DEFAULT '0' NOT NULL, deletion INTEGER, layout SMALLINT, next_reason TEXT, visited_at DATETIME, comparisons DOUBLE DEFAULT '0' NOT NULL, changes DOUBLE DEFAULT '0' NOT NULL, changed_seconds DOUBLE DEFAULT '0' NOT NULL, unchanged_seconds DOUBLE DEFAULT '0' NOT NULL, streak SMALLINT DEFAULT '0' NOT NULL, misses SMALLINT DEFAULT '0' NOT NULL, lastmod DATETIME, surveyed BOOLEAN DEFAULT 0 NOT NULL, content_language TEXT, not_before DATETIME, unsettled BOOLEAN, lastmod_source INTEGER, missing_since DATETIME,
	CONSTRAINT pk_page PRIMARY KEY (site_id, url_key),
	CONSTRAINT fk_page_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_page_due ON page (site_id, next_fetch_at) WHERE next_fetch_at IS NOT NULL;

CREATE INDEX ix_page_frontier ON page (site_id, crawl_id, priority, discovery);

CREATE TABLE body (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	html BLOB NOT NULL, previous BLOB,
	CONSTRAINT pk_body PRIMARY KEY (site_id, url_key),
	CONSTRAINT fk_body_site_id_url_key_page FOREIGN KEY(site_id, url_key) REFERENCES page (site_id, url_key) ON DELETE CASCADE
);

CREATE TABLE content (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	status VARCHAR(16) NOT NULL,
	kind VARCHAR(16) NOT NULL,
	title TEXT,
	text TEXT NOT NULL,
	html TEXT,
	description TEXT,
	author TEXT,
	published TEXT,
	modified TEXT,
	language TEXT,
	words INTEGER NOT NULL,
	digest VARCHAR(32),
	simhash BIGINT,
	duplicate_of VARCHAR(32),
	method TEXT NOT NULL,
	confidence DOUBLE NOT NULL,
	template_version INTEGER,
	canonical_url TEXT,
	crawl_id INTEGER,
	emit_order INTEGER,
	extracted_at DATETIME NOT NULL, "indexed" BOOLEAN DEFAULT 1 NOT NULL, band1 INTEGER, band2 INTEGER, band3 INTEGER, band4 INTEGER, image TEXT, section TEXT, anchors JSON, earlier_text TEXT,
	CONSTRAINT pk_content PRIMARY KEY (site_id, url_key),
	CONSTRAINT fk_content_site_id_url_key_page FOREIGN KEY(site_id, url_key) REFERENCES page (site_id, url_key) ON DELETE CASCADE
);

CREATE INDEX ix_content_digest ON content (site_id, digest);

CREATE INDEX ix_content_emitted ON content (site_id, crawl_id, emit_order);

CREATE INDEX ix_page_deletion ON page (site_id, deletion) WHERE deletion IS NOT NULL;

CREATE TABLE links (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	keys BLOB NOT NULL,
	CONSTRAINT pk_links PRIMARY KEY (site_id, url_key),
	CONSTRAINT fk_links_site_id_url_key_page FOREIGN KEY(site_id, url_key) REFERENCES page (site_id, url_key) ON DELETE CASCADE
);

CREATE TABLE template (
	site_id INTEGER NOT NULL,
	layout SMALLINT NOT NULL,
	version INTEGER NOT NULL,
	label_rule SMALLINT NOT NULL,
	pages_seen INTEGER NOT NULL,
	stable_since INTEGER,
	novelty DOUBLE NOT NULL,
	crawl_id INTEGER,
	updated_at DATETIME NOT NULL,
	retired_at DATETIME, decision JSON, volatile JSON,
	CONSTRAINT pk_template PRIMARY KEY (site_id, layout),
	CONSTRAINT fk_template_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
);

CREATE TABLE template_node (
	site_id INTEGER NOT NULL,
	layout SMALLINT NOT NULL,
	"key" INTEGER NOT NULL,
	parent INTEGER NOT NULL,
	depth SMALLINT NOT NULL,
	label VARCHAR(120) NOT NULL,
	pages INTEGER NOT NULL,
	nodes INTEGER NOT NULL,
	variants INTEGER NOT NULL,
	chars INTEGER NOT NULL,
	link_chars INTEGER NOT NULL,
	last_page INTEGER NOT NULL,
	CONSTRAINT pk_template_node PRIMARY KEY (site_id, layout, "key"),
	CONSTRAINT fk_template_node_site_id_layout_template FOREIGN KEY(site_id, layout) REFERENCES template (site_id, layout) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE template_style (
	site_id INTEGER NOT NULL,
	layout SMALLINT NOT NULL,
	node INTEGER NOT NULL,
	style INTEGER NOT NULL,
	pages INTEGER NOT NULL,
	CONSTRAINT pk_template_style PRIMARY KEY (site_id, layout, node, style),
	CONSTRAINT fk_template_style_site_id_layout_template FOREIGN KEY(site_id, layout) REFERENCES template (site_id, layout) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE template_path (
	site_id INTEGER NOT NULL,
	layout SMALLINT NOT NULL,
	"key" INTEGER NOT NULL,
	path TEXT NOT NULL,
	content_pages INTEGER NOT NULL,
	noise_pages INTEGER NOT NULL,
	CONSTRAINT pk_template_path PRIMARY KEY (site_id, layout, "key"),
	CONSTRAINT fk_template_path_site_id_layout_template FOREIGN KEY(site_id, layout) REFERENCES template (site_id, layout) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE template_block (
	site_id INTEGER NOT NULL,
	layout SMALLINT NOT NULL,
	path INTEGER NOT NULL,
	block INTEGER NOT NULL,
	pages INTEGER NOT NULL,
	features BLOB NOT NULL,
	CONSTRAINT pk_template_block PRIMARY KEY (site_id, layout, path, block),
	CONSTRAINT fk_template_block_site_id_layout_template FOREIGN KEY(site_id, layout) REFERENCES template (site_id, layout) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE source (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	url TEXT NOT NULL,
	kind SMALLINT NOT NULL,
	parent INTEGER,
	etag TEXT,
	last_modified TEXT,
	read_at DATETIME,
	problem TEXT,
	pages INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT pk_source PRIMARY KEY (site_id, url_key),
	CONSTRAINT fk_source_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_content_duplicate ON content (site_id, duplicate_of) WHERE duplicate_of IS NOT NULL;

CREATE INDEX ix_content_band1 ON content (site_id, band1, url_key) WHERE band1 IS NOT NULL;

CREATE INDEX ix_content_band2 ON content (site_id, band2, url_key) WHERE band2 IS NOT NULL;

CREATE INDEX ix_content_band3 ON content (site_id, band3, url_key) WHERE band3 IS NOT NULL;

CREATE INDEX ix_content_band4 ON content (site_id, band4, url_key) WHERE band4 IS NOT NULL;

CREATE TABLE outbox (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	operation SMALLINT NOT NULL,
	revision INTEGER NOT NULL,
	numbered INTEGER DEFAULT '0' NOT NULL,
	sequence INTEGER,
	url TEXT,
	queued_at DATETIME NOT NULL,
	CONSTRAINT pk_outbox PRIMARY KEY (site_id, url_key)
)
 WITHOUT ROWID;

CREATE INDEX ix_outbox_sequence ON outbox (sequence);

CREATE INDEX ix_outbox_unnumbered ON outbox (queued_at) WHERE numbered <> revision;

CREATE TABLE outbox_clock (
	id SMALLINT NOT NULL,
	last INTEGER NOT NULL,
	CONSTRAINT pk_outbox_clock PRIMARY KEY (id)
);

CREATE TABLE sink (
	name VARCHAR(64) NOT NULL,
	sequence INTEGER NOT NULL,
	delivered_at DATETIME,
	failing_since DATETIME,
	failure TEXT,
	CONSTRAINT pk_sink PRIMARY KEY (name)
);

CREATE TABLE rejection (
	sink VARCHAR(64) NOT NULL,
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	attempts INTEGER NOT NULL,
	reason TEXT NOT NULL,
	rejected_at DATETIME NOT NULL,
	retry_at DATETIME,
	CONSTRAINT pk_rejection PRIMARY KEY (sink, site_id, url_key),
	CONSTRAINT fk_rejection_sink_sink FOREIGN KEY(sink) REFERENCES sink (name) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_rejection_retry ON rejection (sink, retry_at) WHERE retry_at IS NOT NULL;

CREATE TABLE search (
	id INTEGER NOT NULL,
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	kind VARCHAR(16) NOT NULL,
	language VARCHAR(8),
	dated DATE NOT NULL,
	config VARCHAR(32) NOT NULL,
	vector TEXT,
	CONSTRAINT pk_search PRIMARY KEY (id),
	CONSTRAINT fk_search_site_id_url_key_content FOREIGN KEY(site_id, url_key) REFERENCES content (site_id, url_key) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_search_page ON search (site_id, url_key);

CREATE INDEX ix_search_config ON search (config);

CREATE INDEX ix_search_vector ON search (vector) WHERE vector IS NOT NULL;

CREATE TRIGGER search_removed AFTER DELETE ON search BEGIN DELETE FROM search_text WHERE rowid = old.id; END;

CREATE TABLE site_value (
	site_id INTEGER NOT NULL,
	field SMALLINT NOT NULL,
	value INTEGER NOT NULL,
	pages INTEGER NOT NULL, decided INTEGER,
	CONSTRAINT pk_site_value PRIMARY KEY (site_id, field, value),
	CONSTRAINT fk_site_value_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE VIRTUAL TABLE search_text USING fts5(
    title, description, anchors, text, config,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

CREATE TABLE link_text (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	text_key INTEGER NOT NULL,
	text TEXT NOT NULL,
	source INTEGER,
	fresh BOOLEAN DEFAULT 1 NOT NULL,
	CONSTRAINT pk_link_text PRIMARY KEY (site_id, url_key, text_key),
	CONSTRAINT fk_link_text_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_link_text_text ON link_text (site_id, text_key, source);

CREATE INDEX ix_link_text_source ON link_text (site_id, source) WHERE source IS NOT NULL;

CREATE INDEX ix_link_text_fresh ON link_text (site_id) WHERE fresh;

CREATE TABLE robots (
	site_id INTEGER NOT NULL,
	host VARCHAR(300) NOT NULL,
	body BLOB NOT NULL,
	read_at DATETIME NOT NULL,
	CONSTRAINT pk_robots PRIMARY KEY (site_id, host),
	CONSTRAINT fk_robots_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
);

CREATE TABLE closed (
	site_id INTEGER NOT NULL,
	"key" INTEGER NOT NULL,
	kind SMALLINT NOT NULL,
	place TEXT NOT NULL,
	reason TEXT NOT NULL,
	closed_at DATETIME NOT NULL,
	CONSTRAINT pk_closed PRIMARY KEY (site_id, "key"),
	CONSTRAINT fk_closed_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE host (
	site_id INTEGER NOT NULL,
	netloc VARCHAR(300) NOT NULL,
	breaker SMALLINT NOT NULL,
	failures INTEGER NOT NULL,
	failing_since DATETIME,
	given_up INTEGER NOT NULL,
	not_before DATETIME,
	reason TEXT,
	CONSTRAINT pk_host PRIMARY KEY (site_id, netloc),
	CONSTRAINT fk_host_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
);

CREATE TABLE suspended (
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	url TEXT NOT NULL,
	netloc VARCHAR(300) NOT NULL,
	reason TEXT NOT NULL,
	http_status SMALLINT,
	depth SMALLINT NOT NULL,
	not_before DATETIME,
	CONSTRAINT pk_suspended PRIMARY KEY (site_id, url_key),
	CONSTRAINT fk_suspended_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
);

CREATE TABLE second_fetch (
	site_id INTEGER NOT NULL,
	layout SMALLINT NOT NULL,
	url_key INTEGER NOT NULL,
	crawl_id INTEGER NOT NULL,
	fetched_at DATETIME NOT NULL,
	difference JSON,
	CONSTRAINT pk_second_fetch PRIMARY KEY (site_id, layout, url_key),
	CONSTRAINT fk_second_fetch_site_id_site FOREIGN KEY(site_id) REFERENCES site (id) ON DELETE CASCADE
);

CREATE INDEX ix_site_due ON site (next_crawl_at) WHERE next_crawl_at IS NOT NULL AND lease_owner IS NULL AND paused_at IS NULL;

CREATE INDEX ix_site_leased ON site (leased_until) WHERE lease_owner IS NOT NULL;

CREATE TABLE sent_chunks (
	reader VARCHAR(80) NOT NULL,
	site_id INTEGER NOT NULL,
	url_key INTEGER NOT NULL,
	site VARCHAR(300) NOT NULL,
	url TEXT NOT NULL,
	made_of VARCHAR(32) NOT NULL,
	chunks JSON NOT NULL,
	gone JSON,
	CONSTRAINT pk_sent_chunks PRIMARY KEY (reader, site_id, url_key)
);

CREATE TABLE address_slot (
	address TEXT NOT NULL,
	holder TEXT NOT NULL,
	held_until DATETIME NOT NULL,
	CONSTRAINT pk_address_slot PRIMARY KEY (address)
);

CREATE INDEX ix_page_states ON page (site_id, url_key, status, layout, deletion);

CREATE INDEX ix_page_lastmod ON page (site_id, lastmod_source) WHERE lastmod_source IS NOT NULL;

INSERT INTO alembic_version (version_num) VALUES ('0023');

INSERT INTO outbox_clock (id, last) VALUES (1, 0);

INSERT INTO search_text (search_text, rank) VALUES ('rank', 'bm25(8.0, 2.0, 4.0, 1.0, 0.0)');
