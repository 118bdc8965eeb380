"""Finds tools by words: rows that match every term first, then the best partial ones, misspelt words repaired."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from gateway.offers import Offer

MOST_ROWS = 20
ENOUGH = 10  # full matches; fewer are followed by partial ones
K1, B = 1.2, 0.75
WEIGHTS = {"name": 3.0, "alias": 2.0, "keyword": 1.5, "title": 1.0, "text": 1.0}
SIMILAR = 0.66  # letters that two words share in order

_WORD = re.compile(r"[a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STOP_WORDS = (
    "a an and any are as at be by can do does for from how i in is it its me my of on or our please so some that the "
    "their them these this to tool tools use want was we what when where which who why will with you your"
)
_STOP = frozenset(_WORD.findall(_STOP_WORDS))


class Found(NamedTuple):
    """One row of an answer; `partial` when not every term matched."""

    offer: Offer
    partial: bool


def words(text: str) -> list[str]:
    """The words of a text: accents and case gone, camelCase and snake_case split, stop words kept."""
    plain = unicodedata.normalize("NFKD", _HUMP.sub(" ", text)).encode("ascii", "ignore").decode().lower()
    return _WORD.findall(plain)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its commonest English endings."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return (word[: -len(ending)] + instead).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


def terms(text: str) -> list[str]:
    """The stems that count."""
    return [stem(word) for word in words(text) if word not in _STOP]


@lru_cache(maxsize=8192)
def trigrams(word: str) -> frozenset[str]:
    """Overlapping triples of the padded word."""
    padded = f"  {word} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


class Index:
    """BM25 over the weighted words of each tool; built once a surface."""

    def __init__(self, offers: Iterable[Offer]) -> None:
        self.offers = list(offers)
        self._weights = [_weighted(offer) for offer in self.offers]
        self._lengths = [sum(weights.values()) for weights in self._weights]
        self._mean = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        self._holders = Counter(term for weights in self._weights for term in weights)

    def search(self, query: str) -> tuple[list[Found], int]:
        """The best rows, at most twenty, and how many there are; an empty query gives everything in its order."""
        if not query.strip():
            return [Found(offer, False) for offer in self.offers], len(self.offers)
        wanted = list(dict.fromkeys(map(self._known, terms(query) or [stem(word) for word in words(query)])))
        ranked = sorted(
            ((self._score(number, wanted), number) for number in range(len(self.offers))),
            key=lambda row: (-row[0], row[1]),
        )
        hits = [
            (number, all(term in self._weights[number] for term in wanted)) for score, number in ranked if score > 0
        ]
        full = [Found(self.offers[number], False) for number, complete in hits if complete]
        if len(full) < ENOUGH:
            full += [Found(self.offers[number], True) for number, complete in hits if not complete]
            return full[:MOST_ROWS], min(len(full), MOST_ROWS)
        return full[:MOST_ROWS], len(full)

    def _known(self, term: str) -> str:
        """The term itself when the index has it, else the most similar one that it has."""
        if term in self._holders or not self._holders:
            return term
        asked, slip = trigrams(term), max(1, len(term) // 4)
        near = (other for other in self._holders if abs(len(other) - len(term)) <= slip and asked & trigrams(other))
        likeness, nearest = max(
            ((SequenceMatcher(None, term, other).ratio(), other) for other in near), default=(0.0, term)
        )
        return nearest if likeness >= SIMILAR else term

    def _score(self, number: int, wanted: list[str]) -> float:
        weights, length = self._weights[number], self._lengths[number]
        total = 0.0
        for term in wanted:
            if weight := weights.get(term):
                holders = self._holders[term]
                rarity = math.log(1 + (len(self.offers) - holders + 0.5) / (holders + 0.5))
                total += rarity * weight * (K1 + 1) / (weight + K1 * (1 - B + B * length / self._mean))
        return total


def _weighted(offer: Offer) -> dict[str, float]:
    parts = {
        "name": offer.name,
        "alias": " ".join(offer.aliases),
        "keyword": offer.keywords,
        "title": offer.title,
        "text": offer.description,
    }
    found: dict[str, float] = {}
    for part, text in parts.items():
        for term in dict.fromkeys(terms(text)):
            found[term] = found.get(term, 0.0) + WEIGHTS[part]
    return found
