import pytest

from sitecrawl.evaluation.gold import gold_sites
from tests.unit.evaluation.site import rows, write


@pytest.fixture
def sites(tmp_path):
    """Three recorded sites, of 6, 6 and 3 pages."""
    folder = tmp_path / "sites"
    folder.mkdir()
    for name in ("a", "b", "c"):
        write(folder / f"{name}.jsonl.gz", rows(6 if name != "c" else 3))
    return list(gold_sites(folder))
