"""Names of the execution options that say how a connection's next transaction begins."""

from typing import Final

READING: Final = "sitecrawl_reading"
"""Whether the transaction is read-only."""
BUSY: Final = "sitecrawl_busy_seconds"
"""Seconds that SQLite waits for another writer; on PostgreSQL it marks a caller that retries its transactions."""
