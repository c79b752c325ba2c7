"""Feeds of crawls that are killed: few kills of the drill's case OP-49."""

import random

from tests.drill.cases import Room
from tests.drill.feeds import feeds_of_killed_runs


def test_no_change_is_lost_and_no_line_cut(tmp_path):
    room = Room(tmp_path, random.Random(1))
    said = feeds_of_killed_runs(room, lambda name: f"sqlite:///{tmp_path}/{name}.db", kills=3, pages=60)
    assert said.count("kills") == 3
