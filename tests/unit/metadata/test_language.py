"""The language of a page: declared, detected, and which of the two counts."""

import pytest

from sitecrawl.metadata.language import LEAST, LEAST_FOREIGN, detect, page_language

TEXTS = {
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء",
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají jednat v duchu bratrství.",
    "da": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση.",
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    "fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה.",
    "hi": "सभी मनुष्य जन्म से स्वतन्त्र हैं तथा अधिकारों और मर्यादा में समान होते हैं। उनमें तर्क और विवेक की शक्ति है तथा उन्हें एक दूसरे के प्रति भाईचारे का व्यवहार करना चाहिए।",
    "hu": "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。すべて人は、この宣言に掲げるすべての権利と自由とを享有することができる。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 권리와 자유를 누린다.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "sv": "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.",
    "vi": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi con người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình anh em.",
    "zh": "人人生而自由在尊嚴和權利上一律平等他們賦有理性和良心並應以兄弟關係的精神相對待人人有資格享有本宣言所載的一切權利和自由不分種族膚色性別語言宗教政治或其他見解國籍或社會出身財產出生或其他身份等任何區別",
}
"""Article 1 of the Universal Declaration of Human Rights."""


@pytest.mark.parametrize(("language", "text"), TEXTS.items(), ids=TEXTS)
def test_a_text_without_a_declaration_has_its_own_language(language: str, text: str) -> None:
    assert page_language((), text) == language


@pytest.mark.parametrize(("language", "text"), TEXTS.items(), ids=TEXTS)
def test_a_wrong_declaration_is_not_believed(language: str, text: str) -> None:
    assert page_language(["en-GB" if language != "en" else "de"], text) == language


def test_a_declaration_that_agrees_gives_its_whole_tag() -> None:
    assert page_language(["xx", "pt_BR"], TEXTS["pt"]) == "pt-br"


def test_of_languages_that_are_mixed_up_the_declared_one_counts() -> None:
    assert page_language(["nb"], TEXTS["da"]) == "nb"


def test_a_language_in_other_letters_than_the_text_is_not_believed(monkeypatch) -> None:
    monkeypatch.setattr("sitecrawl.metadata.language.detect", lambda text: ("hi", 0.4))
    assert page_language(["en"], TEXTS["hi"]) == "hi"
    assert page_language(["sa"], TEXTS["hi"]) == "sa"
    assert page_language(["en"], TEXTS["de"]) == "en"


def test_a_short_text_is_in_the_language_it_declares() -> None:
    assert page_language(["fr"], TEXTS["de"][: LEAST - 1]) == "fr"
    assert page_language([], TEXTS["de"][: LEAST - 1]) is None


def test_a_short_text_in_another_script_is_not_in_the_declared_language() -> None:
    text = "방파제는 오래전에 만든 것이다. 배가 나른 돌로 만들었다."
    assert len(text) < LEAST
    assert page_language(["en"], text) == "ko"
    assert page_language(["en"], text[: LEAST_FOREIGN - 1]) == "en"
    assert page_language(["ja"], text) == "ja"  # Chinese, Japanese and Korean are one script here
    assert page_language([], text) is None


def test_names_are_in_the_declared_language() -> None:
    names = (
        "Jackson Catarino De Sousa Silva Christian Franz Josef Klein Jesus Ignacio Alonso Balado J Mikel Aretxederra"
    )
    assert page_language(["en"], names) == "en"


ITALIAN_NAMES = (
    "Luigi Di Liberto Cristina Diana Bargu Alessandro Ciofini Monica Amici Sara Bonanno Fabio Aaron Brancotti Rosaria"
)


def test_text_around_a_list_of_names_tells_whether_its_declaration_is_right() -> None:
    assert 0.15 <= detect(ITALIAN_NAMES)[1] < 0.8
    assert page_language(["en-US"], ITALIAN_NAMES) == "en-us"
    assert page_language(["en-US"], ITALIAN_NAMES, lambda: TEXTS["it"]) == "it"
    assert page_language(["en-US"], ITALIAN_NAMES, lambda: TEXTS["en"]) == "en-us"
    assert page_language(["en-US"], ITALIAN_NAMES, lambda: TEXTS["it"][:40]) == "en-us"


def test_text_around_prose_is_not_read() -> None:
    def unread() -> str:
        raise AssertionError

    assert page_language(["it"], ITALIAN_NAMES, unread) == "it"
    assert page_language(["en"], TEXTS["de"], unread) == "de"


def test_formulas_have_no_language() -> None:
    formula = r"\begin{array}{rllrll} 0.&\hspace{-1em}1\phantom{em} com uma matriz de estado e de saida \end{array}" * 9
    for text in (f"$${formula}$$", rf"\({formula}\)", rf"\[{formula}\]"):
        assert page_language(("en",), f"{text}\n{TEXTS['en']}\n{text}") == "en"


@pytest.mark.parametrize("language", ["ja", "ko", "zh"])
def test_lines_of_code_that_are_longer_than_the_prose_do_not_make_a_page_english(language: str) -> None:
    code = "the commit message must describe what the change does and why the change was made before it is pushed"
    prose = TEXTS[language]
    lines = [f"{code} to branch {i}" for i in range(9)] + [prose[i : i + 50] for i in range(40)]
    assert page_language([language], "\n".join(lines)) == language


def test_latin_letters_are_in_no_language_of_other_letters() -> None:
    classes = (
        "Module java.desktop Package javax.swing Class JToggleButton.AccessibleJToggleButton java.lang.Object"
        " javax.accessibility.AccessibleContext java.awt.Component.AccessibleAWTComponent"
        " java.awt.Container.AccessibleAWTContainer javax.swing.JComponent.AccessibleJComponent"
    )
    assert detect(classes)[0] != "ja"


@pytest.mark.parametrize("text", ["", "\ud800 " * 60, "\u2028" * 100, "a" * 5000, "x\ny", "\x00\x07 " * 50])
def test_no_text_breaks_the_detector(text: str) -> None:
    language, probability = detect(text)
    assert len(language) in (0, 2)
    assert 0.0 <= probability <= 1.0
    assert page_language(["el"], text)
