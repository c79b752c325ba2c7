"""Cases of what a page shows and hides, and of where it leads without a link."""

from tests.badweb.server import ANY, REDIRECTED, STORED, Expect, Visit, case

MOVED = "<title>Moved</title><body><p>This page has moved; you are being sent on.</p>"


def _refresh(content: str) -> str:
    return f'<meta http-equiv="refresh" content="{content}">'


@case(Expect(REDIRECTED, reason="/target for now", requests=3, fetched=("target",), contents=(1, 1)))
def meta_refresh_only(visit: Visit) -> None:
    visit.answer(None if visit.rest else _refresh("0; url=target") + MOVED)


@case(Expect(REDIRECTED, reason="/target for good", requests=3, fetched=("target",), contents=(1, 1)))
def meta_refresh_for_good(visit: Visit) -> None:
    head = f'{_refresh("0; url=target")}<link rel="canonical" href="target">'
    visit.answer(None if visit.rest else head + MOVED)


@case(Expect(REDIRECTED, reason="elsewhere", requests=2, contents=(0, 0)))
def meta_refresh_offsite(visit: Visit) -> None:
    visit.answer(_refresh("0; url=http://elsewhere.example/") + MOVED)


@case(Expect(STORED, requests=2, unasked=("other",)))
def meta_refresh_slow(visit: Visit) -> None:
    visit.answer(visit.page(head=_refresh("300; url=other")))


@case(Expect(STORED, requests=2))
def meta_refresh_reload(visit: Visit) -> None:
    visit.answer(visit.page(head=_refresh("0; url=./#top")))


@case(Expect(REDIRECTED, requests=12, contents=(0, 0)))
def meta_refresh_endless(visit: Visit) -> None:
    visit.answer(_refresh(f"0; url={visit.here}{visit.random.getrandbits(48):x}") + MOVED)


@case(Expect(REDIRECTED, requests=3, fetched=("b",), contents=(0, 0)))
def meta_refresh_to_and_fro(visit: Visit) -> None:
    visit.answer(_refresh(f"0; url={visit.here if visit.rest else 'b'}") + MOVED)


@case(Expect(REDIRECTED, requests=2, contents=(0, 0)))
def meta_refresh_private(visit: Visit) -> None:
    visit.answer(_refresh(f"0; url={visit.web.forbidden.urls()[1]}") + MOVED)


@case(Expect(ANY, requests=3, fetched=("inner",), contents=(1, 2)))
def iframe_alone(visit: Visit) -> None:
    inside = visit.web.forbidden.urls()[0]
    body = f'<h1>The manual</h1><iframe src="inner"></iframe><iframe src="{inside}"></iframe>'
    visit.answer(None if visit.rest else f"<title>The manual</title><body>{body}")


@case(Expect(STORED, requests=2, unasked=("player",)))
def iframe_beside_text(visit: Visit) -> None:
    visit.answer(visit.page('<iframe src="player"></iframe>'))


@case(Expect(STORED, requests=2, without=("secret",), holding=("Answers that a click unfolds",)))
def hidden_text(visit: Visit) -> None:
    secret = "".join(
        f"<div {how}><p>A secret paragraph of some length, which stands in the page and is shown to nobody.</p></div>"
        for how in ("hidden", 'style="display: none"', 'style="color: red; display:none"', 'role="dialog" hidden')
    )
    answer = "Answers that a click unfolds are what a reader came for, so they are part of the page's main text."
    opened = f'<h3><button aria-controls="a1">When?</button></h3><div id="a1" hidden><p>{answer}</p></div>'
    visit.answer(visit.page(secret + opened))


@case(Expect(STORED, requests=12, contents=(9, 9)))
def captcha_of_comments(visit: Visit) -> None:
    links = "" if visit.rest else "".join(f'<a href="{i}">photo {i}</a> ' for i in range(8))
    photo = "".join(f"<div>{' '.join(visit.random.choices(WORDS, k=9))} in the harbour.</div>" for _ in range(3))
    form = (
        '<form><label>Name</label><input name="author"><label>Comment</label><textarea name="comment"></textarea>'
        '<p>Please verify you are a human</p><input name="code"><button>Post</button></form>'
    )
    title = f"Photo {visit.rest or 'of the day'}"
    visit.answer(f"<title>{title}</title><body><h1>{title}</h1><div class=photo>{photo}</div>{links}{form}")


WORDS = [
    *("amber", "basin", "cellar", "drift", "ember", "fathom", "gravel", "hollow"),
    *("kettle", "ledger", "marble", "nettle", "orchard", "pulley", "quarry", "rudder"),
]


@case(Expect(STORED, requests=3))
def heavy_and_good(visit: Visit) -> None:
    paragraphs = (
        f"<p>Entry {i} of the log says that the {visit.random.choice(WORDS)} was moved to the <b>{i}th</b> shed.</p>"
        for i in range(12_000)
    )
    visit.answer(visit.page("".join(paragraphs)))
