from tests import fork
from tests.integration.test_crawl import MODULE, environment


def test_the_command_that_errors_name_makes_the_tables(tmp_path):
    command = [*MODULE, "database", "upgrade", "-s", f"SITECRAWL_DATABASE_URL=sqlite:///{tmp_path}/x.db"]
    said = [
        fork.run(command, capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=60).stdout
        for _ in range(2)
    ]
    assert said == ["The database was upgraded.\n", "The database is up to date.\n"]
