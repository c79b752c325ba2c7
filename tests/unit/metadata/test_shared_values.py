"""Tests of counting what the pages of a site share."""

from sitecrawl.metadata.declared import Declared
from sitecrawl.metadata.shared_values import LEAST, PRUNED, Field, SiteValues, value_key, values_of


def test_a_value_is_the_site_s_when_enough_pages_have_it():
    site = SiteValues()
    for number in range(LEAST):
        assert not site.shared(Field.IMAGE, "logo")
        site.add(values_of(Declared(title=None, images=("logo", f"{number}"))))
    assert site.shared(Field.IMAGE, "logo")
    assert not site.shared(Field.IMAGE, "0")
    assert not site.shared(Field.DATE, "logo")


def test_the_share_of_the_pages_with_a_value_is_told_once_it_is_the_site_s():
    site = SiteValues()
    for number in range(2 * LEAST):
        site.add(values_of(Declared(title=None, images=("logo" if number % 2 else f"{number}",))))
    assert site.share(Field.IMAGE, "logo") == 0.5
    assert site.share(Field.IMAGE, "0") == 0.0
    assert SiteValues().share(Field.IMAGE, "logo") == 0.0


def test_a_title_of_each_page_of_a_small_site_is_the_site_s():
    site, title = SiteValues(), "wind"
    for number in range(1, LEAST):
        site.add(values_of(Declared(title="Wind", headings=(f"{number}",))))
        assert site.repeated(Field.TITLE, title) is (number > 1)
        assert not site.repeated(Field.TITLE, "1")
    site.add(values_of(Declared(title="Storm")))
    assert not site.repeated(Field.TITLE, title)


def test_a_page_counts_once_for_each_value():
    values = values_of(Declared(title="A - B", names=("A - B",), published=("2020-01-01",), modified=("2020-01-01",)))
    assert sorted(field for field, _ in values) == [Field.PAGES, Field.TITLE, Field.PREFIX, Field.SUFFIX, Field.DATE]


def test_rare_values_are_pruned():
    site = SiteValues()
    for number in range(PRUNED):
        site.add(values_of(Declared(title=None, images=(f"{number}", "logo" if number % 3 == 0 else "other"))))
    assert len(site._counts) == 3
    assert site.shared(Field.IMAGE, "logo")
    assert site.pages == PRUNED


def test_keys_fit_the_database():
    assert 0 <= value_key("\ud800") < 1 << 63
