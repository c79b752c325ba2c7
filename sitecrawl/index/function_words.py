"""Function words by text search configuration: articles, prepositions, pronouns, forms of to be.

They are used only to mark words in snippets; the search itself weighs words by their rarity. They are folded as terms.
"""

from collections.abc import Mapping
from typing import Final

from sitecrawl.storage.search.terms import fold

# fmt: off
_WORDS: Final = {
    "danish": "af at den der det du en er et for har i jeg med og om på som til var",
    "dutch": "aan als dat de den der die door dat een en er het hij hoe ik in is je met niet of om op te van voor was",
    "english": (
        "a an and are as at be been but by can did do does for from had has have he her his how i if in is it its of on"
        " or our she so than that the their them then there these they this to was we were what when where which who"
        " why will with would you your"
    ),
    "french": (
        "a au aux avec ce ces comment d dans de des du elle en est et il ils je l la le les leur mais ne nous on ou par"
        " pas pour qu que qui sa se ses son sont sur un une vous y"
    ),
    "german": (
        "als am an auch auf aus bei bin das dass dem den der des die du ein eine einem einen einer er es für hat ich im"
        " in ist mit nach nicht oder sich sie sind so und vom von war was wie wir zu zum zur"
    ),
    "italian": (
        "a al alla anche che chi ci come con da dal dalla dei del della delle di e ed gli ha i il in io l la le lo ma"
        " nel nella non o per più si sono su un una uno"
    ),
    "norwegian": "av at de den der det du en er et for har i ikke jeg med og om på som til var",
    "portuguese": (
        "a ao aos as com como da das de do dos e em ela ele eu foi mais mas na nas no nos o os ou para pelo pela por"
        " que se sem ser seu sua um uma"
    ),
    "russian": (
        "а без бы был была были было в во вы для до его ее если за и из или им их к как когда ко на не но о об он она"
        " они от по при с со так то что это я"
    ),
    "spanish": (
        "a al como con de del donde e el ella en es esta este la las le lo los más me mi no nos o para pero por que se"
        " si sin son su sus un una y ya"
    ),
    "swedish": "att av de den det du en ett för han har i inte jag med och om på som till var",
}
# fmt: on

FUNCTION_WORDS: Final[Mapping[str, frozenset[str]]] = {
    config: frozenset(map(fold, words.split())) for config, words in _WORDS.items()
}
