import datetime as dt

from sitecrawl import clock
from sitecrawl.clock import JumpWatch, now


def test_the_time_is_in_utc():
    assert now().tzinfo is dt.UTC


def test_jumps_are_noticed_for_a_while(monkeypatch):
    steady, wall = [1000.0], [5000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: steady[0])
    monkeypatch.setattr(clock, "now", lambda: dt.datetime.fromtimestamp(wall[0], dt.UTC))

    def later(seconds, jump=0.0):
        steady[0] += seconds
        wall[0] += seconds + jump
        return watch.quiet()

    watch = JumpWatch(60.0)
    assert later(0.0)
    assert later(5000.0)
    assert later(5.0, jump=59.0)  # too short to end a lease that was renewed lately
    for jump in (61.0, -3600.0):
        assert not later(5.0, jump=jump)
        assert not later(59.0)
        assert later(1.0)
        assert later(5.0)
