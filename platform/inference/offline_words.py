"""How the offline model compares texts: by the words they share."""

import re
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_COMMON = frozenset(
    _WORD.findall(
        "a about after all also am an and any are as at be been but by can could did do does for from had has have he "
        "her his how i if in into is it its me my no not of on or our please said say she should so some tell that the "
        "their them then there they this to us was we were what when where which who why will with would you your"
    )
)


def words(text: str) -> frozenset[str]:
    """The telling words of a text, lower case, plural endings dropped."""
    found = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in found if word not in _COMMON)


def sentences(text: str) -> list[str]:
    """The sentences of a text, list markers dropped."""
    return [sentence for part in _SENTENCE.split(text) if (sentence := part.strip().lstrip("-*# ").strip())]


def best_match(question: str, texts: Sequence[str]) -> str | None:
    """The text that shares most words with the question, the later one among equals; None when none shares any."""
    asked = words(question)
    scored = [(len(asked & words(text)), index) for index, text in enumerate(texts)]
    score, index = max(scored, default=(0, 0))
    return texts[index] if score else None


def shared(question: Iterable[str], text: str) -> int:
    """How many of the words occur in the text."""
    return len(frozenset(question) & words(text))
