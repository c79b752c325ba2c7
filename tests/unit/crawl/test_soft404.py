import pytest

from sitecrawl.crawl import soft404
from sitecrawl.crawl.page_lifecycle import FetchResult
from sitecrawl.crawl.soft404 import Soft404Judge, soft404_outcome
from sitecrawl.dom.page import Page
from tests.integration.server import article, frame


def judged(html):
    return soft404_outcome(Page.from_html(html, "https://example.org/x"))


@pytest.mark.parametrize(
    "title",
    [
        "404",
        "404 Not Found",
        "Page not found - Harbour News",
        "Harbour News | Page Not Found",
        "Error 404",
        "Seite nicht gefunden – Hafen",
        "Página no encontrada",
        "The requested page could not be found.",
    ],
)
def test_an_error_page_is_known_by_its_title(title):
    found = judged(frame(title, "<p>Sorry about that.</p>"))
    assert found is not None
    assert found.result is FetchResult.ERROR_PAGE  # never replaces a good text
    assert found.why.startswith("soft 404: it says")


def test_an_error_page_is_known_by_its_heading():
    assert judged("<title>Harbour News</title><h1>Page not found</h1><p>Sorry.</p>") is not None
    many = "<h1>News</h1>" * 3 + "<h1>Page not found</h1>"
    assert judged(f"<title>Harbour News</title>{many}<div>{'A long tale of the harbour. ' * 60}</div>") is None


def test_an_error_page_is_known_by_what_it_says():
    found = judged(frame("Harbour News", "<h2>Oh</h2><div>The page you asked for no longer exists.</div>"))
    assert found is not None
    assert found.result is FetchResult.ERROR_PAGE


@pytest.mark.parametrize(
    "title", ["Just a moment...", "Attention Required! | Cloudflare", "Access denied", "Are you a robot?"]
)
def test_a_wall_against_crawlers_speaks_of_the_server(title):
    found = judged(f"<title>{title}</title><p>Please wait.</p>")
    assert found is not None
    assert found.result is FetchResult.FAILED


WALLS = {
    "Cloudflare": """<title>Just a moment...</title><body><h1>harbour.example</h1><h2>Verify you are human by completing
        the action below.</h2><div>harbour.example needs to review the security of your connection before
        proceeding.</div><div>Ray ID: <code>8a1b2c3d4e5f</code></div><div>Performance &amp; security by Cloudflare</div>""",
    "Cloudflare, older": """<title>harbour.example</title><h1>Checking your browser before accessing harbour.example.</h1>
        <p>This process is automatic. Your browser will redirect to your requested content shortly.</p><p>Please allow
        up to 5 seconds...</p><div>DDoS protection by <a href="https://www.cloudflare.com/">Cloudflare</a></div>""",
    "PerimeterX": """<title>Access to this page has been denied.</title><body><div>Please verify you are a human</div>
        <div>Access to this page has been denied because we believe you are using automation tools to browse the
        website.</div><div>This may happen as a result of the following:</div><ul><li>Javascript is disabled or blocked
        by an extension (ad blockers for example)</li><li>Your browser does not support cookies</li></ul><div>Please make
        sure that Javascript and cookies are enabled on your browser and that you are not blocking them from
        loading.</div><div>Reference ID: #00000000</div>""",
    "a search engine": """<title>https://harbour.example/</title><body>Our systems have detected unusual traffic from your
        computer network. This page checks to see if it is really you sending the requests, and not a robot. <a href=#>Why
        did this happen?</a><div>This page appears when requests come from your computer network which appear to be in
        violation of the terms. The block will expire shortly after those requests stop.</div>IP address: 192.0.2.1""",
    "a form": """<title>harbour.example</title><form><p>Please verify you are a human</p><img src=x.png><input name=code>
        <textarea id="g-recaptcha-response" name="g-recaptcha-response"></textarea><button>Go on</button></form>""",
}


@pytest.mark.parametrize("name", WALLS)
def test_a_wall_is_known_by_having_nothing_else(name):
    found = judged(WALLS[name])
    assert found is not None
    assert found.result is FetchResult.FAILED
    assert found.why.startswith("bot wall: it says")


SHORT_WALLS = [
    ("Zugriff verweigert", "Sie haben keine Berechtigung, auf diese Seite zuzugreifen."),
    ("Nur einen Moment…", "Überprüfen, ob Sie ein Mensch sind. Dies kann einige Sekunden dauern."),
    ("Accès refusé", "Vous n'avez pas la permission d'accéder à cette page."),
    ("Un instant…", "Vérification que vous êtes humain. Cette opération peut prendre quelques secondes."),
    ("Acceso denegado", "No tiene permiso para acceder a esta página."),
    ("Un momento…", "Verificando que usted es un ser humano. Esto puede tardar unos segundos."),
    ("Acesso negado", "Você não tem permissão para acessar esta página."),
    ("Solo un momento…", "Verifica che tu sia umano. Questo potrebbe richiedere qualche secondo."),
    ("Toegang geweigerd", "U heeft geen toegang tot deze pagina."),
    ("Dostęp zabroniony", "Nie masz uprawnień do tej strony."),
    ("Доступ запрещён", "У вас нет прав для просмотра этой страницы."),
    ("Один момент…", "Проверяем, человек ли вы. Это может занять несколько секунд."),
    ("Erişim engellendi", "Bu sayfayı görüntüleme yetkiniz yok."),
    ("访问被拒绝", "您无权访问此页面。"),
    ("请稍候…", "正在验证您是否是真人。这可能需要几秒钟时间。"),
    ("しばらくお待ちください...", "お客様が人間であることを確認しています。"),
    ("One moment, please...", "Please wait while your request is being verified..."),
    ("Making sure you're not a bot!", "Loading..."),
    ("Request Rejected", "The requested URL was rejected. Please consult with your administrator."),
    ("403 Forbidden", "You don't have permission to access this resource."),
]


@pytest.mark.parametrize(("title", "text"), SHORT_WALLS)
def test_a_wall_is_known_in_many_languages(title, text):
    found = judged(f"<title>{title}</title><p>{text}</p>")
    assert found is not None
    assert found.result is FetchResult.FAILED
    assert found.why.startswith("bot wall: it says")


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Un instant", "La jetée au crépuscule, en mai."),
        ("Sicherheitsüberprüfung", "Wer im Hafen arbeitet, wird alle fünf Jahre überprüft."),
        ("403", "The mole, drawn by Ann Finch."),
        ("Forbidden", "A song of the harbour."),
    ],
)
def test_short_pages_with_such_titles_are_pages(title, text):
    assert judged(f"<title>{title} - Harbour News</title><h1>{title}</h1><p>{text}</p>") is None


ASKING = [
    "Please enable JavaScript to view the page content. Your support ID is: 18088",
    "This site requires JavaScript.",
    "Bitte aktivieren Sie JavaScript, um diese Seite zu nutzen.",
    "Veuillez activer JavaScript pour continuer à utiliser ce site.",
    "Necesitas habilitar JavaScript para ver esta página.",
    "Por favor, ative o JavaScript para continuar.",
    "Для работы сайта необходимо включить JavaScript в настройках браузера.",
    "このサイトを利用するにはJavaScriptを有効にしてください。",
    "请启用JavaScript以继续浏览本网站。",
]


@pytest.mark.parametrize("text", ASKING)
def test_a_page_that_only_asks_for_scripts_is_not_the_page(text):
    found = judged(f"<title>Harbour</title><div>{text}</div>")
    assert found is not None
    assert found.result is FetchResult.FAILED
    assert found.why.startswith("it asks for JavaScript: ")


@pytest.mark.parametrize("rest", ["<div>The mole of the harbour. </div>" * 20, "<a href=x>Moles</a>" * 4])
def test_a_page_with_a_text_or_a_menu_may_ask_for_scripts(rest):
    assert judged(f"<title>Harbour</title><div>{ASKING[1]}</div>{rest}") is None


COMMENTS = """<div id="respond"><h3>Leave a reply</h3><form><label>Name</label><input name="author"><label>Email</label>
    <input name="email">{box}<label>Please verify you are a human</label><img src="captcha.png"><input name="code">
    <button>Post</button></form></div>"""
BOX = '<label>Comment</label><textarea name="comment"></textarea>'
PHOTO = (
    '<h1>The mole at dusk</h1><div class="photo"><img src="mole.jpg"></div><div>Taken in May from the old mill.</div>'
)
TALE = "<div>We went along the harbour wall before the lamps were lit, and met nobody but the keeper. </div>" * 4


@pytest.mark.parametrize("body", [PHOTO, TALE])
def test_a_page_whose_comment_form_has_a_captcha_is_a_page(body):
    assert judged(frame("The mole at dusk", body + COMMENTS.format(box=BOX))) is None


def test_a_captcha_at_the_end_of_a_page_is_no_wall():
    assert judged(frame("The mole at dusk", TALE + COMMENTS.format(box=""))) is None


LONG_WALL = (
    "<title>Security check</title><body><h1>Please wait</h1>{}<div>Your request {} is held for {}.</div>".format(
        "<div>We look at every request before our servers answer it, since many of them come from programs. </div>"
        * 20,
        "{0}a17f{0}",
        "/page/{0}",
    )
)


def test_a_longer_wall_is_known_by_saying_the_same_at_many_urls():
    soft404_judge = Soft404Judge()
    found = [
        soft404_judge.judge(Page.from_html(LONG_WALL.format(number), f"https://example.org/{number}"))
        for number in (1, 2, 2, 3, 4)
    ]
    assert [one is not None for one in found] == [False, False, False, True, True]
    assert found[-1].result is FetchResult.FAILED


def test_pages_that_differ_are_no_wall_however_many_they_are():
    soft404_judge = Soft404Judge()
    for number in range(200):
        words = " ".join("abcdefghij"[int(digit)] * 5 for digit in str(number))
        html = LONG_WALL.format(number).replace("is held", f"is held by {words}")
        assert soft404_judge.judge(Page.from_html(html, f"https://example.org/{number}")) is None
    assert len(soft404_judge._walls) <= 100


@pytest.mark.parametrize(
    "html",
    [
        article(3),
        article(3).replace("<h1>Report 3</h1>", "<h1>404</h1>"),
        frame("Room 404", "<p>A room above the old harbour, with two windows.</p>"),
        frame("The page that was not found in the archive", "<p>A story in two parts.</p>"),
        frame("Lost property", "<p>We moved. Items that were not found by their owners are sold.</p>"),
        frame("Reports", "<ul>" + "<li><a href=x>Page not found: how to write error pages</a></li>" * 3 + "</ul>"),
    ],
)
def test_pages_about_such_things_are_pages(html):
    assert judged(html) is None


CHINESE = "港口博物馆的藏品目录收录了三百多件与航海有关的器物，每一件都附有照片和来历说明，读者可以按年代或产地查找。"


def test_a_page_in_a_script_without_spaces_that_says_much_is_a_page():
    assert judged(frame("404 Not Found", f"<p>{CHINESE}</p>" * 3)) is None
    assert judged(frame("404 Not Found", f"<p>{CHINESE[:20]}</p>")) is not None


def test_texts_that_were_not_met_for_long_are_forgotten(monkeypatch):
    monkeypatch.setattr(soft404, "REMEMBERED", 2)
    judge = Soft404Judge()

    def is_wall(text, number):
        body = LONG_WALL.format(number).replace("each", text)
        return judge.judge(Page.from_html(body.replace("every", text), f"https://example.org/{number}")) is not None

    assert [is_wall("alpha", number) for number in (1, 2)] == [False, False]
    assert [is_wall(text, 1) for text in ("beta", "gamma")] == [False, False]
    assert not is_wall("alpha", 3)  # the third, but the first two are forgotten
    assert [is_wall("gamma", number) for number in (2, 3)] == [False, True]


def page(title, body):
    return Page.from_html(
        f"<html><head><title>{title}</title></head><body>{body}</body></html>", "https://example.org/x"
    )


@pytest.mark.parametrize(("words", "error"), [(soft404.MANY_WORDS, True), (soft404.MANY_WORDS + 1, False)])
@pytest.mark.parametrize("title", ["Page not found", "Access denied"])
def test_a_page_with_many_words_is_a_page_whatever_its_title(title, words, error):
    text = "<p>" + "so " * (words - 20) + "</p><p>" + "it " * 20 + "</p>"
    assert (soft404_outcome(page(title, text)) is not None) is error


@pytest.mark.parametrize(("more", "wall"), [(0, True), (1, False)])
def test_a_wall_has_little_text_outside_links(more, wall):
    link = "<a href=/x>" + "z" * 500 + "</a>"
    empty = page("Access denied", f"<div></div>{link}").flat
    length = soft404.WALL_TEXT - (empty.chars[0] - empty.link_chars[0]) + more
    made = page("Access denied", f"<div></div>{link}<div>{'x' * length}</div>")
    assert (soft404_outcome(made) is not None) is wall


@pytest.mark.parametrize(("before", "wall"), [(soft404.WALL_BEGINS, True), (soft404.WALL_BEGINS + 1, False)])
def test_a_wall_announces_itself_in_its_first_lines(before, wall):
    made = page("", f"<div>{'x' * before}</div><div>Please verify that you are human</div>")
    assert (soft404_outcome(made) is not None) is wall


@pytest.mark.parametrize(("nodes", "read"), [(soft404.SHORT, True), (soft404.SHORT + 1, False)])
def test_the_lines_of_a_short_page_are_read(nodes, read):
    line = "<div>This page does not exist</div>"
    few = len(page("Harbour", line).flat)
    made = page("Harbour", line + "<br>" * (nodes - few))
    assert len(made.flat) == nodes
    assert (soft404_outcome(made) is not None) is read


@pytest.mark.parametrize(("chars", "read"), [(soft404.SHORT_TEXT, True), (soft404.SHORT_TEXT + 1, False)])
def test_the_lines_of_a_page_with_much_text_are_not_read(chars, read):
    line = "<div>This page does not exist</div>"
    few = page("Harbour", line).flat.chars[0]
    made = page("Harbour", line + f"<div><a href=/x>{'x' * (chars - few)}</a></div>")
    assert made.flat.chars[0] == chars
    assert (soft404_outcome(made) is not None) is read


def test_what_a_page_says_is_cut():
    long = "This page " + "of ours " * 5 + "was not found " + "y" * 60
    said = " ".join(long.split())
    assert soft404_outcome(page("Harbour", f"<div>{long}</div>")).why == f"soft 404: it says {said[:80]!r}"
    wall = "Please verify that you are human " + "y" * 60
    assert soft404_outcome(page("", f"<div>{wall}</div>")).why == f"bot wall: it says {wall[:80]!r}"


def test_the_name_of_a_captcha_s_field_may_be_written_in_capitals():
    say = "<div>Please verify that you are human</div>"
    assert soft404_outcome(page("", f"{say}<textarea class=G-ReCAPTCHA-Response></textarea>")) is not None
    assert soft404_outcome(page("", f"{say}<textarea class=comment></textarea>")) is None


def test_an_error_page_is_one_at_the_first_url():
    made = page("404 Not Found", "<p>There is nothing here.</p>")
    assert Soft404Judge().judge(made).why == "soft 404: it says '404 Not Found'"


@pytest.mark.parametrize(
    "said",
    [
        "This function will create a file if it does not exist.",
        "BuildException - if the file does not exist, or cannot be read",
        "When the page was not found, the next one is tried.",
        "Indicates that a file does not exist.",
        "Do not return an error for a deleted file that does not exist.",
        "The file " + "of the harbour " * 15 + "does not exist.",
    ],
)
def test_a_page_of_a_manual_about_missing_files_is_a_page(said):
    assert judged(frame("Harbour News", f"<div>{said}</div>")) is None


@pytest.mark.parametrize(
    "said", ["Oh no! The page does not exist.", "Sorry: this file cannot be found", "File does not exist."]
)
def test_the_requested_page_is_told_from_any_page(said):
    assert judged(frame("Harbour News", f"<div>If you typed it, look again. {said}</div>")) is not None


@pytest.mark.parametrize(("chars", "error"), [(2_900, True), (3_100, False)])
def test_a_page_with_much_text_is_a_page_whatever_its_lines_say(chars, error):
    html = f"<title>Moles</title><pre>The file does not exist.</pre><pre>{'moles ' * (chars // 5)}</pre>"
    assert (judged(html) is not None) is error
    assert judged(f"<title>Page not found</title>{html}") is not None  # its title says so, and it has no paragraphs
