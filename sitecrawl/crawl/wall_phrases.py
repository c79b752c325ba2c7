"""Phrases by which a page says that it is a wall in the place of the requested page, in some fifteen languages.

Own lists, after the pages of common walls (servers, firewalls, bot protection, content management systems) and their
translations. Words that are topics too ("un instant", "security verification") are left out: a short post may have
that title.
"""

import re
from typing import Final

_NAMES: Final = (
    # English
    r"just a moment",
    r"one moment,? please",
    r"attention required!?",
    r"checking (?:your browser|the site connection security).{0,40}",
    r"(?:please )?(?:verify|confirm)(?: that)? you are (?:a )?human.{0,40}",
    r"(?:verifying|making sure)(?: that)? you(?:'re| are) (?:human|not a (?:ro)?bot)",
    r"are you (?:a )?(?:robot|human)\??",
    r"(?:robot|bot|security|human) (?:check|verification)|robot challenge screen",
    r"(?:please )?(?:complete|solve) (?:the|this) captcha.{0,40}",
    r"access (?:to this page has been )?denied|request rejected",
    r"(?:403|(?:http )?error 403|http 403)(?: error)?:? forbidden|(?:http )?error 403|http 403",
    r"ddos protection.{0,40}",
    r"javascript (?:is )?(?:required|disabled|needed)",
    # German
    r"zugriff (?:verweigert|nicht erlaubt)|zugang verweigert",
    r"(?:nur )?einen moment,? bitte",
    r"sind sie ein (?:mensch|roboter)\??",
    r"stelle sicher, dass du kein (?:ro)?bot bist",
    r"javascript (?:ist )?(?:erforderlich|deaktiviert)",
    # French
    r"acc\u00e8s (?:refus\u00e9|interdit)|(?:nous v\u00e9rifions que )?vous n'\u00eates pas un robot",
    r"\u00eates-vous un (?:robot|humain)\s?\??|javascript (?:est )?(?:requis|d\u00e9sactiv\u00e9)",
    # Spanish, Portuguese, Italian
    r"acceso denegado|un momento,? por favor|\u00bferes un robot\??",
    r"acesso negado|um momento,? por favor|accesso negato",
    # Dutch, Swedish, Danish, Finnish
    r"toegang geweigerd|een ogenblik geduld.{0,10}|\u00e5tkomst nekad|adgang n\u00e6gtet|p\u00e4\u00e4sy estetty",
    # Polish, Czech, Russian, Ukrainian, Turkish
    r"(?:odmowa|brak) dost\u0119pu|dost\u0119p zabroniony|p\u0159\u00edstup (?:odep\u0159en|zam\u00edtnut)",
    r"\u0434\u043e\u0441\u0442\u0443\u043f (?:\u0437\u0430\u043f\u0440\u0435\u0449[\u0435\u0451]\u043d"
    r"|\u043e\u0433\u0440\u0430\u043d\u0438\u0447\u0435\u043d"
    r"|\u0437\u0430\u0431\u043e\u0440\u043e\u043d\u0435\u043d\u043e)"
    r"|\u0432\u044b \u043d\u0435 \u0440\u043e\u0431\u043e\u0442\??",
    r"eri\u015fim (?:engellendi|reddedildi)|bir dakika l\u00fctfen",
    # Chinese, Japanese, Korean
    r"\u8bbf\u95ee\u88ab\u62d2\u7edd|\u62d2\u7edd\u8bbf\u95ee|\u5b58\u53d6\u88ab\u62d2|\u8bf7\u7a0d\u5019"
    r"|\u5b89\u5168\u9a8c\u8bc1",
    r"\u30a2\u30af\u30bb\u30b9\u304c\u62d2\u5426\u3055\u308c\u307e\u3057\u305f"
    r"|\u3057\u3070\u3089\u304f\u304a\u5f85\u3061\u304f\u3060\u3055\u3044",
    r"\uc561\uc138\uc2a4\uac00 \uac70\ubd80\ub418\uc5c8\uc2b5\ub2c8\ub2e4"
    r"|\uc7a0\uc2dc\ub9cc \uae30\ub2e4\ub9ac\uc2ed\uc2dc\uc624",
)
NAMED: Final = re.compile("|".join(_NAMES), re.IGNORECASE)
"""Matches the whole title, a part of it, or a main heading of a wall."""
_WALL: Final = (
    r"\b(?:verify|verifying|confirm|prove|make sure|making sure)(?: that)? you(?: are|'re) (?:a "
    r"|not a )?(?:human|(?:ro)?bot)",
    r"\bchecking (?:your browser|the site connection security)\b|\bverifying your browser\b"
    r"|\byour request is being verified\b",
    r"\bthe requested url was rejected\b|^request unsuccessful\..{0,30}\bid\b|\bunusual traffic from your\b",
    r"\benable (?:javascript|js) and (?:cookies to continue|disable any ad ?blocker)\b",
    r"\bdass (?:du|sie) kein (?:ro)?bot(?:er)? (?:bist|sind)\b|\bob sie ein mensch sind\b",
    r"\bque vous (?:\u00eates humain|n'\u00eates pas un robot)\b",
    r"\bque (?:usted )?(?:es un ser humano|no (?:es|eres) un robot)\b|\bque voc\u00ea (?:\u00e9 humano"
    r"|n\u00e3o \u00e9 um rob\u00f4)",
    r"\bche (?:tu sia umano|non sei un robot)\b"
    r"|\u0447\u0435\u043b\u043e\u0432\u0435\u043a \u043b\u0438 \u0432\u044b"
    r"|\u0430 \u043d\u0435 \u0440\u043e\u0431\u043e\u0442\b",
    r"\u662f\u5426\u662f\u771f\u4eba|\u4eba\u9593\u3067\u3042\u308b\u3053\u3068\u3092\u78ba\u8a8d",
)
WALL: Final = re.compile("|".join(_WALL), re.IGNORECASE)
"""Matches within one of the first lines of a wall."""
_SCRIPTS: Final = (
    r"\b(?:enable|activate|turn on) (?:javascript|js)\b.{0,40}\b(?:page|site|website|browser|content|app"
    r"|continue|proceed)\b",
    r"\b(?:page|site|website|app) (?:requires|needs) javascript\b",
    r"\bjavascript (?:aktivieren|einschalten|inschakelen)\b|\baktivieren sie (?:bitte )?javascript\b"
    r"|\bactiver (?:le )?javascript\b",
    r"\b(?:activ(?:ar|e|a)|ativ(?:ar|e)|habilit(?:ar|e|a)) (?:o |el )?javascript\b|\b(?:attiva(?:re)?"
    r"|abilita(?:re)?) javascript\b",
    r"\bw\u0142\u0105cz(?:y\u0107)? (?:obs\u0142ug\u0119 )?javascript"
    r"|\u0432\u043a\u043b\u044e\u0447\u0438\u0442[\u044c\u0435] "
    r"(?:\u043f\u043e\u0434\u0434\u0435\u0440\u0436\u043a\u0443 )?javascript",
    r"javascript\s?\u3092\u6709\u52b9|(?:\u542f\u7528|\u555f\u7528|\u5f00\u542f|\u958b\u555f)\s?javascript",
)
ASKS_FOR_SCRIPTS: Final = re.compile("|".join(_SCRIPTS), re.IGNORECASE)
"""Matches within the line by which a page without other text asks for JavaScript."""
