"""Feed files that only their owner may read, unless the file is there already."""

from pathlib import Path
from typing import IO

from scrapy import Spider
from scrapy.extensions.feedexport import FileFeedStorage

from sitecrawl.ownership import owner_only


class OwnerOnlyFeedStorage(FileFeedStorage):
    """Scrapy's feed file, made with mode 0600."""

    def open(self, spider: Spider) -> IO[bytes]:
        """Open the file for the rows of a crawl."""
        Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        return open(self.path, self.write_mode, opener=owner_only)
