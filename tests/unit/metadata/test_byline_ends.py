"""Tests of the parts that are removed from a byline after the name."""

import pytest

from sitecrawl.metadata.byline_ends import without_end


@pytest.mark.parametrize(
    "end",
    [
        "2 minutes ago",
        "2 minutes",
        "about 5 hours ago. Updated 1 minute ago",
        "over 1 year ago",
        "vor 2 Tagen",
        "hace 3 días",
        "il y a 3 heures",
        "2 giorni fa",
        "2 часа назад",
        "3天前",
        "3분 전",
        "May 3, 2020",
        "3. Mai 2020",
        "12th of October",
        "3 March",
        "Friday 3",
        "Fri, 3 May",
        "today 10:30",
        "on Friday",
        "الخميس 1 يونيو 2023",
        "الخميس، 1",
        "2 Comments",
        "(0 comments)",
        "No Comments",
        "12 Kommentare Teilen",
        "3 commentaires",
        "Leave a Comment",
        "1 كانون الثاني 2023",
        "Tuesday",
        "11:48AM GMT",
        "Last update: yesterday",
        "北京报道",
    ],
)
def test_a_date_behind_a_name_goes(end):
    assert without_end(f"Rosa Delgado {end}") == "Rosa Delgado"


@pytest.mark.parametrize(
    "name",
    [
        "Studio 54",
        "Agent 47",
        "Section 9 Team",
        "April May",
        "Rosa March",
        "Rosa Friday",
        "30 Seconds",
        "Louis 14 Roy",
        "Maya Day",
        "Team Comments",
        "Studio 54 Commentary",
        "Por Ana , publicado el 3 mayo",
    ],
)
def test_a_name_with_a_number_or_the_name_of_a_month_stays_whole(name):
    assert without_end(name) == name
