from tests import fork
from tests.integration.test_crawl import MODULE, environment


def test_the_demo_shows_main_content_and_template_without_the_frame(tmp_path):
    done = fork.run([*MODULE, "demo"], capture_output=True, text=True, timeout=120, env=environment(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "14 pages are in the feed" in done.stdout
    content = done.stdout.split("The template:")[0]
    assert "with it, written by hand" in content
    assert "No part of this journal" not in content
    assert "nav.menu" in done.stdout
    assert list(tmp_path.iterdir()) == []
