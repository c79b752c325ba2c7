import json
import re
from dataclasses import fields
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from sitecrawl.errors import ConfigError, StorageError
from sitecrawl.shell.metrics import NAMES, STATES, serve
from sitecrawl.storage.fleet_status import FleetStatus

ROOT = Path(__file__).parents[3]
STATUS = FleetStatus(**{field.name: number for number, field in enumerate(fields(FleetStatus), 1)})


def scraped(read):
    port, wait, end = serve(read, "127.0.0.1", 0)
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            return answer.read().decode()
    finally:
        end()
        wait()


def test_every_field_is_a_metric():
    lines = scraped(lambda: STATUS).splitlines()
    assert "sitecrawl_up 1.0" in lines
    assert f"sitecrawl_sites {STATUS.sites:.1f}" in lines
    for state in STATES:
        assert f'sitecrawl_sites_by_state{{state="{state}"}} {getattr(STATUS, state):.1f}' in lines
    for field, (name, _) in NAMES.items():
        assert f"{name} {getattr(STATUS, field):.1f}" in lines
    assert {field.name for field in fields(FleetStatus)} == {"sites", *STATES, *NAMES}


def test_a_database_that_is_away_is_told_and_harms_no_later_scrape():
    def away():
        raise StorageError("the server cannot be reached")

    lines = [line for line in scraped(away).splitlines() if not line.startswith("#")]
    assert lines == ["sitecrawl_up 0.0"]


def test_an_address_that_is_taken_is_a_clear_error():
    port, wait, end = serve(lambda: STATUS, "127.0.0.1", 0)
    with pytest.raises(ConfigError, match=f"127.0.0.1:{port} cannot be served"):
        serve(lambda: STATUS, "127.0.0.1", port)
    end()
    wait()


def metrics():
    found = set(re.findall(r"^(sitecrawl_\w+)", scraped(lambda: STATUS), re.MULTILINE))
    assert len(found) > 10
    return found


def test_alerts_and_dashboard_use_metrics_that_there_are():
    (group,) = yaml.safe_load((ROOT / "deploy/prometheus-alerts.yml").read_text())["groups"]
    board = json.loads((ROOT / "deploy/grafana-dashboard.json").read_text())
    used = [rule["expr"] for rule in group["rules"]]
    used += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len(used) > 15
    named = {name for one in used for name in re.findall(r"sitecrawl_\w+", one)}
    assert named <= metrics()


def test_every_metric_is_documented():
    text = (ROOT / "docs/scale.md").read_text()
    assert [name for name in sorted(metrics()) if f"`{name}`" not in text] == []
