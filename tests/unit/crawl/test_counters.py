from sitecrawl.crawl.counters import Numbers


def test_numbers_go_on_after_the_last_one():
    numbers = Numbers(7)
    assert [numbers.next(), numbers.next(), numbers.last] == [8, 9, 9]


def test_the_last_number_is_used_again_when_it_is_given_back():
    numbers = Numbers()
    assert numbers.next() == 1
    numbers.give_back(1)
    assert (numbers.last, numbers.next()) == (0, 1)


def test_a_number_below_one_in_use_is_not_used_again():
    numbers = Numbers()
    first, second = numbers.next(), numbers.next()
    numbers.give_back(first)
    assert numbers.last == second
    numbers.give_back(second)
    assert numbers.last == 0


def test_a_number_that_was_given_back_and_used_again_is_in_use():
    numbers = Numbers()
    numbers.give_back(numbers.next())
    first, second = numbers.next(), numbers.next()
    numbers.give_back(second)
    assert (first, numbers.last) == (1, 1)
