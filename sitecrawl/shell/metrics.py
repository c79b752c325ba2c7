"""Exports the state of a fleet as Prometheus metrics (extra `metrics`)."""

import logging
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from sitecrawl.errors import ConfigError, StorageError
from sitecrawl.storage.fleet_status import FleetStatus

logger = logging.getLogger(__name__)

STATES: Final = ("due", "late", "died", "running", "waiting", "paused", "new")
"""States of sites; those that are late or whose crawl died are also due."""
NAMES: Final = {
    "dying": ("sitecrawl_sites_dying", "Sites whose last two crawls died with their process"),
    "failing": ("sitecrawl_sites_failing", "Sites with a host that fails"),
    "drifted": ("sitecrawl_sites_drifted", "Sites where a crawl of the last day found a new layout"),
    "without_page": ("sitecrawl_sites_without_page", "Sites without a stored page that the last crawls visited"),
    "ended_early": ("sitecrawl_crawls_ended_early", "Crawls of the last day that ended early without being stopped"),
    "held_pages": ("sitecrawl_pages_held", "Pages whose deletion is held"),
    "held_sites": ("sitecrawl_sites_held", "Sites with held deletions"),
    "refused_documents": ("sitecrawl_documents_refused", "Documents that a sink refused"),
    "failing_sinks": ("sitecrawl_sinks_failing", "Sinks that cannot be reached"),
    "oldest_due_seconds": ("sitecrawl_oldest_due_seconds", "Seconds for which the most overdue site has waited"),
    "pages_an_hour": ("sitecrawl_pages_per_hour", "Pages per hour of the crawls that ended last"),
    "crawls_an_hour": ("sitecrawl_crawls_per_hour", "Crawls that ended per hour"),
}
"""Name and help text of the metric for each field of FleetStatus except the states."""


class FleetCollector(Collector):
    """A collector that reads the state of a fleet at each scrape."""

    def __init__(self, read: Callable[[], FleetStatus]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; if the database cannot be read, only `sitecrawl_up` with the value 0."""
        began = perf_counter()
        try:
            status = self._read()
        except StorageError as error:
            logger.warning("the state cannot be read: %s", error)
            yield GaugeMetricFamily("sitecrawl_up", "Whether the database can be read", 0)
            return
        yield GaugeMetricFamily("sitecrawl_up", "Whether the database can be read", 1)
        yield GaugeMetricFamily("sitecrawl_sites", "All sites", status.sites)
        states = GaugeMetricFamily("sitecrawl_sites_by_state", "Sites by state", labels=["state"])
        for state in STATES:
            states.add_metric([state], getattr(status, state))
        yield states
        for field, (name, text) in NAMES.items():
            yield GaugeMetricFamily(name, text, getattr(status, field))
        yield GaugeMetricFamily("sitecrawl_status_seconds", "Seconds to read these metrics", perf_counter() - began)


def serve(read: Callable[[], FleetStatus], host: str, port: int) -> tuple[int, Callable[[], None], Callable[[], None]]:
    """Serve `/metrics` in a thread; return the port, a function that waits for the end, and one that ends the server.

    Port 0 means any free port. Raises ConfigError if the address cannot be used.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(FleetCollector(read))
    try:
        server, thread = start_http_server(port, host, registry)
    except (OSError, OverflowError) as error:
        raise ConfigError(f"{host}:{port} cannot be served: {error}") from error

    def end() -> None:
        server.shutdown()
        server.server_close()

    return server.server_port, thread.join, end
