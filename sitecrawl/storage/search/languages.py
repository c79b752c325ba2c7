"""Text search configurations of PostgreSQL by language: the stemmers included in version 14 and later."""

from collections.abc import Mapping
from typing import Final

PLAIN: Final = "simple"
"""No stemming, no stop words."""

# fmt: off
CONFIGS: Final[Mapping[str, str]] = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}
# fmt: on


def text_config(language: str | None) -> str:
    """Return the configuration for a language tag such as `pt-BR`."""
    primary = (language or "").replace("_", "-").split("-")[0].lower()
    return CONFIGS.get(primary, PLAIN)
