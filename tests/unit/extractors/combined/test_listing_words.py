import pytest

from sitecrawl.extractors.combined.listing_words import (
    is_list_heading,
    is_list_title,
    is_slug_of,
    title_parts,
    url_words,
)


@pytest.mark.parametrize(
    "path",
    [
        "/blog/",
        "/archives.html",
        "/tag/boats",
        "/collections/boats",
        "/en-gb/collections/boats",
        "/tag/boats/index.html",
        "/de/kategorie/schiffe/",
        "/search/label/Islande.html",
        "/manual/ch-concept_index.html",
        "/pipermail/boats/2008-June/date.html",
        "/wiki/Special:RecentChanges",
        "/wiki/Cat%C3%A9gorie:Bateaux",
        "/sessions/index-2.html?order=title&sort=asc",
        "/forum/viewforum.php?f=3",
        "/?s=boats",
        "/etiket/tekne/index.html",
        "/kategoriler/tekneler/",
        "/milestone/spring.html",
        "/c/boats/sails/31",
    ],
)
def test_urls_that_name_a_listing(path):
    assert url_words(f"https://example.org{path}").named


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/blog/a-day-at-sea",
        "/news/boats-and-tags.html",
        "/java/lang/Thread.html",
        "/forum/viewtopic.php?f=3&t=12",
        "/tags/viewtopic.php?t=12",
        "/posts/search-in-text",
        "/special_remotes.html",
        "/p/about.html",
        "/c/boats/sails",
        "/book/the-c/31-days",
        "/collection/boat-12",
        "/std/collections/struct.Boat.html",
    ],
)
def test_urls_that_do_not(path):
    assert not url_words(f"https://example.org{path}").named


def test_numbers_of_pages():
    def numbered(path):
        return url_words(f"https://example.org{path}").numbered

    assert numbered("/blog/page/3")
    assert numbered("/term/13%3Fpage=2.html")
    assert numbered("/list?start=20")
    assert numbered("/list?page=2&sort=up")
    assert numbered("/wiki/Category:Boats?from=M")
    assert not numbered("/index.php?page=about")
    assert not numbered("/scan.php?page=2nd_mole&px=1")
    assert not numbered("/viewtopic.php?t=12&start=20")
    assert not numbered("/homepage/3")
    assert numbered("/blog/page3/")
    assert numbered("/blog/index3.html")
    assert numbered("/news/index_12.html")
    assert not numbered("/manual/index3.html/notes")
    assert not numbered("/manual/page-3")  # a page of a manual


@pytest.mark.parametrize(
    ("path", "title", "expected"),
    [
        ("/archive-and-compression-tools-37/", "Archive and compression tools", True),
        ("/wiki/List_of_Functions.html", "List of functions", True),
        ("/2024/tags-in-git.html?m=1", "Tags in Git", True),
        ("/an-archive-of-tools", "Archive of all the tools", False),  # half of the words
        ("/archives/2024", "Archives for May 2024", False),
        ("/category/boats-and-ships", "Category", False),
        ("/search-results/", "Search results", False),  # two words
        ("/", "List of functions", False),
        ("", "", False),
    ],
)
def test_the_address_of_an_article_has_the_words_of_its_title(path, title, expected):
    assert is_slug_of(f"https://example.org{path}", title) is expected


def test_periods():
    def period(path):
        return url_words(f"https://example.org{path}").period

    assert period("/2012/09/") == period("/2012/09/index.html") == period("/archives/2008_10.html") == 1
    assert period("/blog/2012/sep") == 1
    assert period("/2012/") == period("/blog/2012") == 0.5
    assert period("/donors/2012/") == period("/2012/09/a-day.html") == period("/log/2008-02-07") == period("/12/") == 0


def test_a_month_or_a_category_below_an_archive_is_archived():
    def archived(path):
        return url_words(f"https://example.org{path}").archived

    assert archived("/archives/cat_harbour_news.html") and not archived("/pets/cat_food.html")
    assert not archived("/archives/cat_food/recipe.html") and not archived("/archives/cathedral.html")
    assert archived("/archives/2008_10.html") and archived("/notes/archive/2008_10.html")
    assert archived("/blog/archives/2008/10/") and archived("/es/archivos/2008-10")
    assert not archived("/2012/09/")  # a month, but some systems end the address of an article with one
    assert not archived("/archives/2008/10/a-day.html") and not archived("/archives/2008/")
    assert not archived("/archive-of-tools/2008/10/") and not archived("/archives/thread/2008/10")


def test_parts_of_a_title():
    assert title_parts("Category: Boats | A site") == ["Category", "Boats", "A site"]
    assert title_parts("A non-stop day – A site") == ["A non-stop day", "A site"]
    assert title_parts("Functions Index (the manual)") == ["Functions Index"]
    assert title_parts(" | - ") == title_parts("") == []
    assert len(title_parts("a | " * 500)) == 8


@pytest.mark.parametrize(
    "title",
    [
        "Category: Boats | A site",
        "A site: May 2008 Archives",
        "The June 2008 Archive by date",
        "Blog | A site",
        "Functions Index (the manual)",
        "Boats - Page 3 - A site",
        "Lưu trữ Tàu thuyền - Trang chủ",
        "分类：船 - 网站",
        "Архив за май",
    ],
)
def test_titles_that_name_a_listing(title):
    assert is_list_title(title_parts(title))


@pytest.mark.parametrize(
    "title",
    [
        "",
        "A day at sea - A sailor's Blog",
        "A day at sea | News",
        "Tag-along boats",
        "Indexing boats",
        "All about boats",
    ],
)
def test_titles_that_do_not(title):
    assert not is_list_title(title_parts(title))


def test_headings():
    assert is_list_heading("Archives")
    assert is_list_heading("Posts tagged boats")
    assert is_list_heading("Recent posts")
    assert not is_list_heading("How we list boats")
    assert not is_list_heading("")
