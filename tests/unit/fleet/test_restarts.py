from sitecrawl.fleet.restarts import LONGEST, Restart


def test_a_process_that_ended_in_order_is_replaced_at_once():
    assert Restart(32.0).after(0.1, 0).pause == 0.0


def test_a_process_that_died_after_a_while_is_replaced_after_a_second():
    assert Restart(32.0).after(3600.0, -9).pause == 1.0


def test_a_process_that_dies_at_once_is_replaced_after_a_growing_pause():
    pauses, restart = [], Restart()
    for _ in range(8):
        restart = restart.after(0.5, 1)
        pauses.append(restart.pause)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST, LONGEST]
