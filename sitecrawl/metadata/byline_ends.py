"""Removes the text after the name in a byline: a date, a time span, a place, an editor, a count."""

import re
from collections.abc import Iterable
from typing import Final

from sitecrawl.metadata.dates import MONTHS

_WEEKDAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun today "
    "yesterday montag dienstag mittwoch donnerstag freitag samstag sonntag heute gestern lundi mardi mercredi jeudi "
    "vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì "
    "venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag "
    "السبت الأحد الاثنين الإثنين الثلاثاء الأربعاء الخميس الجمعة اليوم أمس"
)
"""Names of days in seven languages."""
_SPANS: Final = (
    "seconds? secs? minutes? mins? hours? hrs? days? weeks? months? years? sekunden? minuten? stunden? tag(?:en?)? "
    "wochen? monat(?:en?)? jahr(?:en?)? secondes? heures? jours? semaines? mois ans? segundos? minutos? horas? "
    "d[ií]as? semanas? m[eê]s(?:es)? años? anos? minut[oi] or[ae] giorn[oi] settiman[ae] mes[ei] ann[oi] uur "
    "dag(?:en)? we(?:ek|ken) maand(?:en)? jaar минут[уы]? час(?:а|ов)? день дн(?:я|ей) недел[юиь] месяц(?:а|ев)? "
    "года? лет"
)
"""Patterns of the units of time in eight languages."""
_SINCE: Final = "about over almost vor hace h[áa] il\\sy\\sa"
"""Patterns of the words before a time span: `vor 2 Tagen`."""
_AGO: Final = "ago fa geleden назад"
"""Patterns of the words after a time span: `2 days ago`."""


def _any(patterns: Iterable[str]) -> str:
    """Return a pattern for any of some others, the longest first."""
    return rf"(?:{'|'.join(sorted(patterns, key=len, reverse=True))})"


_MONTH: Final = rf"(?-i:(?=[^\W\d_a-zà-ÿ])){_any(MONTHS)}"
"""Pattern of a month with a capital letter: `publicado el 3 mayo` needs other words before it."""
_DATE: Final = re.compile(
    rf" {_any(_WEEKDAYS.split())}\b\.?[,،]? \d.*$"
    rf"| {_MONTH}\b\.? \d.*$"
    rf"|(?<! el)(?<! le)(?<! il)(?<! em)(?<! am) \d\d?(?:st|nd|rd|th|\.)? (?:(?:de|of) )?{_MONTH}\b.*$"
    rf"| {_any(_WEEKDAYS.split()[:4])}$| \d\d?[:.]\d\d(?:[ap]m)?\b.*$"
    rf"| (?:{_any(_SINCE.split())} )?\d+ {_any(_SPANS.split())}(?: {_any(_AGO.split())}\b.*|\W?)$"
    r"| \d+\s?[^\W\d_]{1,3}\s?[前전].*$|\s\S{2,4}报道$",
    re.IGNORECASE,
)
"""Matches a date, or a time span, after a name; in `publicado el 23 Mayo` other words are before it."""
_REST: Final = re.compile(
    r"[\[(（【\s]*(?:责任编辑|責任編輯|责编|編輯|编辑)\s*[:：].*$| (?:on|in|at)\s.*$| [|»].*$| [^\W\d_]+:\s*\d.*$"
    r"| (?:Last\s)?(?:[Uu]pdated?|Published|Posted)\b.*$"
    r"| \(?(?:\d+|[Nn]o) (?i:comments?|replies|kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties)\b"
    r".*$| (?:Leave|Add|Post) a [Cc]omment.*$"
)
"""Matches a place, a section, a count (for example of comments) or a note after the name; in Chinese an editor."""


def without_end(byline: str) -> str:
    """Return the name at the beginning of a byline, which has no introduction and only single spaces."""
    return _DATE.sub("", _REST.sub("", byline))
