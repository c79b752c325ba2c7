import datetime as dt
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sitecrawl.errors import SiteLeasedError
from sitecrawl.storage import lease_owner as owners
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.lease_owner import described, has_ended, new_owner
from sitecrawl.storage.sites import SiteRepository
from tests.output import SECONDS, Output

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def owner_elsewhere(*, wait):
    """Return the owner that another process gives itself, and that process, over or not."""
    code = "from sitecrawl.storage.lease_owner import new_owner; print(new_owner(), flush=True); import sys; sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    owner = Output(process.stdout).line().strip()
    if wait:
        process.kill()
        process.wait(SECONDS)
    return owner, process


@pytest.mark.processes
def test_a_living_process_has_not_ended():
    assert not has_ended(new_owner())
    owner, process = owner_elsewhere(wait=False)
    assert has_ended(owner) is False
    process.stdin.close()
    process.wait(SECONDS)


@pytest.mark.processes
def test_a_killed_process_has_ended():
    owner, _ = owner_elsewhere(wait=True)
    assert has_ended(owner) is True


@pytest.mark.processes
def test_a_killed_process_that_nobody_has_waited_for_has_ended():
    owner, process = owner_elsewhere(wait=False)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert has_ended(owner) is True
    process.wait(SECONDS)


def ended_owner():
    """Return the owner that an ended process had, whose number this process has now."""
    host, process, birth, token = new_owner().split(":")
    machine, _, start = birth.partition(".")
    return f"{host}:{process}:{machine}.{int(start) - 1}:{token}"


def test_another_process_with_the_number_of_one_that_ended():
    assert has_ended(ended_owner())


def test_of_two_sites_the_one_whose_process_ended_is_taken(engine):
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        dead, held = (sites.get_or_add(f"{name}.example", f"https://{name}.example/", NOW) for name in "ab")
        sites.lease(dead.id, ended_owner(), NOW, 3600)
        sites.lease(held.id, "elsewhere:1", NOW, 3600)
        assert sites.lease(dead.id, "another:1", NOW, 3600) > 0
        with pytest.raises(SiteLeasedError, match=r"b\.example is being crawled"):
            sites.lease(held.id, "another:1", NOW, 3600)


@pytest.mark.parametrize(
    "owner", ["another machine", "vm:42:abcd", "vm:42:0123abcd.77:ffff", "vm:x:y.z:1", "", "a:1:.:b"]
)
def test_of_others_nothing_is_said(owner):
    assert has_ended(owner) is False


def test_of_a_system_that_does_not_tell_nothing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(owners, "_PROCESSES", tmp_path)
    assert not has_ended(new_owner())


@pytest.mark.processes
def test_the_lease_of_a_killed_process_is_taken_at_once(engine):
    owner, _ = owner_elsewhere(wait=True)
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        site = sites.get_or_add("a.example", "https://a.example/", NOW)
        sites.lease(site.id, owner, NOW, 3600)
        sites.lease(site.id, "another:1", NOW, 3600)
    with session_scope(engine) as session, pytest.raises(SiteLeasedError, match="another:1"):
        SiteRepository(session).lease(site.id, new_owner(), NOW, 3600)


def test_a_lease_is_handed_over_by_its_holder_only(engine):
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        site = sites.get_or_add("a.example", "https://a.example/", NOW)
        sites.lease(site.id, "parent", NOW, 3600)
        sites.lease(site.id, "child", NOW, 3600, handed_over_from="parent")
        assert sites.renew(site.id, "child", NOW, 3600)
        assert not sites.renew(site.id, "parent", NOW, 3600)
        with pytest.raises(SiteLeasedError):
            sites.lease(site.id, "stranger", NOW, 3600, handed_over_from="parent")


@pytest.fixture
def hidden(monkeypatch, tmp_path):
    """A /proc like this machine's, in which processes can be hidden; and an owner of a process that runs."""
    owner = new_owner()
    process = owner.split(":")[1]
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text(Path("/proc/sys/kernel/random/boot_id").read_text())
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to(Path("/proc/self/ns/pid").readlink())
    (tmp_path / process).mkdir()
    monkeypatch.setattr(owners, "_PROCESSES", tmp_path)
    return owner, tmp_path / process


@pytest.mark.parametrize("how", ["unreadable", "hidden", "garbled"])
def test_a_running_process_that_may_not_be_looked_at_has_not_ended(hidden, how, monkeypatch):
    owner, folder = hidden
    if how == "unreadable":  # hidepid=1

        def refuse(path, **options):
            raise PermissionError(13, "Permission denied", str(path))

        (folder / "stat").touch()
        machine = owners._machine()
        monkeypatch.setattr(owners, "_machine", lambda: machine)
        monkeypatch.setattr(Path, "read_text", refuse)
    elif how == "hidden":  # hidepid=2
        folder.rmdir()
    else:
        (folder / "stat").write_text("")
    assert has_ended(owner) is False


def test_a_process_that_is_hidden_and_gone_has_ended(hidden, monkeypatch):
    owner, folder = hidden
    folder.rmdir()

    def kill(process, signal):
        raise ProcessLookupError

    monkeypatch.setattr(owners.os, "kill", kill)
    assert has_ended(owner) is True


def test_a_process_of_another_user_is_there(hidden, monkeypatch):
    owner, folder = hidden
    folder.rmdir()

    def kill(process, signal):
        raise PermissionError

    monkeypatch.setattr(owners.os, "kill", kill)
    assert has_ended(owner) is False


@pytest.mark.parametrize("process", ["\u00b2", "\u0664", "9" * 40])
def test_numbers_that_no_process_has_are_not_certain(process):
    host, _, birth, token = new_owner().split(":")
    assert not has_ended(f"{host}:{process}:{birth}:{token}")


def test_a_holder_in_words():
    assert described("crawler7:4711:boot.1:token") == "process 4711 on crawler7"
    assert described("somebody") == "somebody"


def test_a_name_says_host_process_machine_and_start_and_is_unique(monkeypatch):
    monkeypatch.setattr(owners.socket, "gethostname", lambda: "a:b")
    names = {new_owner() for _ in range(9)}
    assert len(names) == 9
    for name in names:
        host, process, birth, token = name.split(":")
        assert (host, process) == ("a-b", str(os.getpid()))
        assert re.fullmatch(r"[0-9a-f]{8}\.\d+", birth)
        assert re.fullmatch(r"[0-9a-f]{8}", token)
        assert owners.machine_part() == f":{birth.partition('.')[0]}."
        assert described(name) == f"process {process} on a-b"


def test_a_system_that_does_not_tell_has_no_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(owners, "_PROCESSES", tmp_path)
    assert owners._machine() == ""
    assert owners.machine_part() == ""
    name = new_owner()
    assert name.split(":")[2] == "."
    assert has_ended(name) is False


@pytest.mark.parametrize(
    ("stat", "start"),
    [
        ("7 (a (b) c) S " + " ".join(str(n) for n in range(4, 30)), "22"),
        ("7 (a) Z " + " ".join(str(n) for n in range(4, 30)), ""),
        ("7 (a) X " + " ".join(str(n) for n in range(4, 30)), ""),
    ],
)
def test_the_start_of_a_process_is_the_22nd_of_its_values(tmp_path, monkeypatch, stat, start):
    monkeypatch.setattr(owners, "_PROCESSES", tmp_path)
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(stat)
    assert owners._start(7) == start
    (tmp_path / "7" / "stat").write_text("")
    with pytest.raises(OSError, match="process 7: its state cannot be read"):
        owners._start(7)


@pytest.mark.parametrize("owner", ["", "a:1:b.2", "a:x:b.2:t", "a:\u0661:b.2:t", "a:1:b:t", "a:1:.2:t", "a:1:b.:t"])
def test_a_name_of_another_form_or_machine_has_not_ended(owner):
    assert has_ended(owner) is False
    if owner.count(":") != 3:
        assert described(owner) == owner


def test_whether_a_process_exists():
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    assert [owners._exists(process) for process in (child, os.getpid(), 2**70)] == [False, True, True]


def test_a_process_that_ends_while_it_is_read_has_ended(monkeypatch):
    def ends(path, **_):
        raise ProcessLookupError

    monkeypatch.setattr(Path, "read_text", ends)
    assert owners._start(7) == ""
