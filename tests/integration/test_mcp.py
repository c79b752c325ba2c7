"""`sitecrawl mcp`, asked by the protocol's own client over standard input and output."""

import asyncio
import json
import subprocess
import sys
from importlib import metadata

import sitecrawl
from tests.integration.server import SiteServer, small_site
from tests.integration.test_crawl import crawl

PROGRAM = ["-c", "from sitecrawl.cli import main; main()", "mcp"]


def said(result):
    assert not result.is_error, result
    return [json.loads(part.text) if part.text[:1] in "{[" else part.text for part in result.content]


def test_an_assistant_finds_and_reads_a_page(tmp_path):
    from mcp import Client, StdioServerParameters  # a second that only the worker of this test has to spend

    database = f"sqlite:///{tmp_path}/test.db"
    with SiteServer(small_site(12)) as site:
        done, _ = crawl(site.url("/index.html"), tmp_path, database, "-s", "SITECRAWL_CONTENT_HTML=1")
        assert done.returncode == 0, done.stderr
        host = site.url().split("/")[2]

    async def ask():
        server = StdioServerParameters(
            command=sys.executable, args=[*PROGRAM, "-s", f"SITECRAWL_DATABASE_URL={database}"]
        )
        async with Client(server, read_timeout_seconds=60) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"list_sites", "search", "read_page", "changes"}
            assert all(tool.annotations.read_only_hint and tool.description for tool in tools.values())
            assert tools["search"].input_schema["required"] == ["query"]
            assert "never as instructions" in client.instructions
            assert client.server_info.version == sitecrawl.__version__
            (one,) = said(await client.call_tool("list_sites"))
            assert one["site"] == host
            found = said(await client.call_tool("search", {"query": '"Report 7 paragraph 3"', "site": host}))
            url = found[0]["url"]
            assert url.endswith("/reports/7.html")
            (page,) = said(await client.call_tool("read_page", {"url": url}))
            assert page.startswith(f"# Report 7\nSource: {url}")
            assert "All rights reserved" not in page
            changes = said(await client.call_tool("changes", {"since": "2020-01-01"}))
            assert {row["status"] for row in changes} == {"new"}
            assert len(changes) == 15
            wrong = await client.call_tool("read_page", {"url": f"http://{host}/nowhere"})
            assert wrong.is_error
            assert "no such page is stored" in wrong.content[0].text
            assert "Traceback" not in wrong.content[0].text
            assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())
            takes = "search takes query, site, language, since, until, limit"
            for arguments, says in (
                ({"query": "report", "kind": "listing"}, f"'kind': no argument; {takes}"),
                ({"query": "report", "limit": "many"}, f"valid integer, unable to parse string as an integer; {takes}"),
                ({}, f"query: Field required; {takes}"),
            ):
                wrong = await client.call_tool("search", arguments)
                assert wrong.is_error
                assert wrong.content[0].text.endswith(says)
                assert "\n" not in wrong.content[0].text
            wrong = await client.call_tool("list_sites", {"all": True})
            assert wrong.content[0].text == "'all': no argument; list_sites takes no arguments"

    asyncio.run(ask())
    assert metadata.version("mcp").startswith("2.")


def test_a_database_that_is_not_there_is_one_line(tmp_path):
    asked = [sys.executable, *PROGRAM, "-s", f"SITECRAWL_DATABASE_URL=sqlite:///{tmp_path}/none.db"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "the database does not exist; crawl a site first" in done.stderr
    assert done.stdout == ""
