"""Parses dates in markup and text to ISO 8601, in their own precision; ambiguous ones are rejected.

No library is used, because libraries are slow and guess: see `docs/metadata.md`.
"""

import datetime as dt
import re
from typing import Final, NamedTuple

from sitecrawl.links.dates import MAX_LENGTH, parse_past_date

_ISO: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:(?:T|\s+)(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|[+-]\d\d:?\d\d|[+-]\d\d)?)?",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(r"\d:\d\d\s+(?:GMT|UTC?|Z|[+-]\d{4})$", re.IGNORECASE)
"""Matches the end of an RFC 822 time with an unambiguous zone."""
MONTHS: Final = {
    name.replace("_", " "): number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari stycznia styczeń "
            "января январь янв januára ledna ocak tammikuuta ιανουαρίου "
            "يناير جانفي كانون_الثاني ינואר",
            "february feb februar februari février févr fév febrero febbraio fevereiro fev lutego luty "
            "февраля февраль фев února şubat helmikuuta φεβρουαρίου "
            "فبراير فيفري شباط פברואר",
            "march mar märz mär maerz mrz mars marzo março maart marca marzec марта март мар března mart "
            "maaliskuuta μαρτίου "
            "مارس آذار اذار מרץ מרס",
            "april apr avril avr abril abr aprile kwietnia kwiecień апреля апрель апр dubna nisan huhtikuuta απριλίου "
            "أبريل ابريل إبريل أفريل نيسان אפריל",
            "may mai mayo maggio mag maio mei maja maj мая май května mayıs toukokuuta μαΐου مايو ماي أيار ايار מאי",
            "june jun juni juin junio giugno giu junho czerwca czerwiec июня июнь июн června haziran kesäkuuta ιουνίου "
            "يونيو يونيه جوان حزيران יוני",
            "july jul juli juillet juil julio luglio lug julho lipca lipiec июля июль июл července temmuz "
            "heinäkuuta ιουλίου "
            "يوليو يوليه جويلية تموز יולי",
            "august aug août aout agosto ago augustus augusti sierpnia sierpień августа август авг srpna ağustos "
            "elokuuta αυγούστου "
            "أغسطس اغسطس أوت غشت آب אוגוסט",
            "september sep sept septembre septiembre settembre set setembro września wrzesień сентября сентябрь сен "
            "сент září eylül syyskuuta σεπτεμβρίου "
            "سبتمبر شتنبر أيلول ايلول ספטמבר",
            "october oct oktober okt octobre octubre ottobre ott outubro out października październik октября октябрь "
            "окт října ekim lokakuuta οκτωβρίου "
            "أكتوبر اكتوبر تشرين_الأول تشرين_الاول אוקטובר",
            "november nov novembre noviembre novembro listopada listopad ноября ноябрь ноя listopadu kasım "
            "marraskuuta νοεμβρίου "
            "نوفمبر نونبر تشرين_الثاني נובמבר",
            "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia grudzień декабря декабрь "
            "дек prosince aralık joulukuuta δεκεμβρίου "
            "ديسمبر دجنبر كانون_الأول كانون_الاول דצמבר",
        ),
        start=1,
    )
    for name in names.split()
}
"""Numbers of months by their names in dates of seventeen languages."""
_WORD: Final = r"((?:كانون|تشرين) ال[^\W\d_]{3,5}|آب|[^\W\d_]{3,13})"
_OTHER_NAME: Final = r"(?:\s?/\s?[\u0620-\u064a ]{2,15})?"
"""Pattern of a second name of the same month, used in another Arab region: "يونيو/ حزيران"."""
_YEAR: Final = r"((?:19|20)\d\d)(?!\d)"
_CLOCK: Final = r"\d\d:\d\d:\d\d(?:\s+[A-Z]{2,5})?"
"""Pattern of the time before the year, with its zone, in the format of C and Pipermail."""
_SHAPES: Final = (
    (re.compile(r"(?<![\d.])((?:19|20)\d\d)\s?[-/.年년]\s?(\d\d?)\s?[-/.月월]\s?(\d\d?)(?!\d)"), "ymd"),
    (
        re.compile(
            rf"(?<!\d)(\d\d?)(?:st|nd|rd|th|er|[.ºª°])?[\s-]*(?:(?:de|of)\s+|ב)?{_WORD}\.?{_OTHER_NAME}[,،]?[\s-]*"
            rf"(?:del?\s+)?{_YEAR}",
            re.IGNORECASE,
        ),
        "dny",
    ),
    (re.compile(rf"{_WORD}\.?\s*(\d\d?)(?:st|nd|rd|th)?[,،]?\s+(?:{_CLOCK}\s+)?{_YEAR}", re.IGNORECASE), "ndy"),
    (re.compile(rf"(?<![\d./-])(\d\d?)([./-])(\d\d?)\2{_YEAR}"), "numbers"),
)
_IN_URL: Final = (
    re.compile(r"[/_-]((?:19|20)\d\d)[/_-](\d\d?)[/_-](\d\d?)(?=[/_.-]|$)"),
    re.compile(r"[/_-]((?:19|20)\d\d)(0[1-9]|1[0-2])([0-3]\d)(?=[/_.-]|$)"),
    re.compile(r"/((?:19|20)\d\d)-?/?([01]\d)([0-3]\d)/"),
)


def iso_date(raw: str, now: dt.datetime) -> str | None:
    """Return a date of markup (ISO 8601, RFC 822, or another unambiguous form) as ISO 8601.

    A time keeps its zone if it has one. The result is None for other texts, and for dates before 1990 or in the future.
    """
    raw = " ".join(raw[: 2 * MAX_LENGTH].split())
    if not raw or len(raw) > MAX_LENGTH:
        return None
    found = _ISO.match(raw)
    if found is None:
        dated = parse_past_date(raw, now) if _MAIL.search(raw) else None
        if dated is not None:
            return dated.first.isoformat(timespec="seconds")
        return date_in_text(raw, now)
    year, month, day, hour, minute, second, zone = found.groups()
    if hour is None or parse_past_date(found.group(), now) is None:
        return _day(int(year), int(month), int(day), now)
    zone = "+00:00" if (zone or "").upper() in ("Z", "UTC") else zone or ""
    if len(zone) == 3:
        zone += ":00"
    elif len(zone) == 5:
        zone = f"{zone[:3]}:{zone[3:]}"
    text = f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}{zone}"
    try:
        return dt.datetime.fromisoformat(text).isoformat(timespec="seconds")
    except ValueError:  # 24:00, or second 60
        return _day(int(year), int(month), int(day), now)


def chosen_date(raw: str, now: dt.datetime) -> str | None:
    """Return the date in a text that an override selects: as `iso_date`, or the first date in a longer text."""
    return iso_date(raw, now) or date_in_text(raw, now)


def date_in_text(text: str, now: dt.datetime) -> str | None:
    """Return the first full date in a line of text as `YYYY-MM-DD`; ambiguous ones such as 3/4/2020 are skipped."""
    found = find_date(text, now)
    return found.date if found else None


class DateInText(NamedTuple):
    """A date, and its place in a text."""

    date: str
    begin: int
    end: int


def find_date(text: str, now: dt.datetime) -> DateInText | None:
    """Return the date of `date_in_text` with its place."""
    best: DateInText | None = None
    for pattern, shape in _SHAPES:
        for found in pattern.finditer(text):
            day = _shaped(found, shape, now)
            if day is not None:
                if best is None or found.start() < best.begin:
                    best = DateInText(day, found.start(), found.end())
                break
    return best


def date_in_url(url: str, now: dt.datetime) -> str | None:
    """Return the date in a path (`/2025/09/04/`, `-20250904.`), or None."""
    path = url.partition("://")[2].partition("/")[2].partition("?")[0].partition("#")[0]
    for pattern in _IN_URL:
        found = pattern.search(f"/{path[: MAX_LENGTH * 8]}")
        day = _day(int(found[1]), int(found[2]), int(found[3]), now) if found else None
        if day is not None:
            return day
    return None


def _shaped(found: re.Match[str], shape: str, now: dt.datetime) -> str | None:
    if shape == "ymd":
        return _day(int(found[1]), int(found[2]), int(found[3]), now)
    if shape == "numbers":
        first, second = int(found[1]), int(found[3])
        if found[2] == "." or first > 12 or first == second:
            return _day(int(found[4]), second, first, now)
        return _day(int(found[4]), first, second, now) if second > 12 else None
    day, name = (found[1], found[2]) if shape == "dny" else (found[2], found[1])
    month = MONTHS.get(name.lower())
    return _day(int(found[3]), month, int(day), now) if month else None


def _day(year: int, month: int, day: int, now: dt.datetime) -> str | None:
    try:
        text = dt.date(year, month, day).isoformat()
    except ValueError:
        return None
    return text if parse_past_date(text, now) is not None else None
