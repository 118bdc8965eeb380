"""The operating-manual block: the most important entries that the caller may read, within a budget of tokens."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from identity.principal import Principal

TOKENIZER = "utf8-bytes/4"

# The order of groups in the block, and their headings.
SCOPES = {"tenant": "Organisation", "department": "Department", "agent": "Agent", "personal": "Personal"}

EMPTY = "The operating manual has no entries that you may read."


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory or piece of knowledge that the caller may read. `importance` is 1 to 10."""

    id: str
    kind: str
    scope: str
    importance: int
    title: str
    content: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the block is for: the ids are visible to the caller."""

    agent_id: str | None = None
    department_id: str | None = None
    query: str = ""


# Gives the entries for a caller, in any order.
Source = Callable[[Principal, Wanted], Iterable[Entry]]

_sources: list[Source] = []


def register(source: Source) -> None:
    """Add a source of entries; called when its app is ready."""
    _sources.append(source)


def unregister(source: Source) -> None:
    """Take a source away again."""
    _sources.remove(source)


def tokens_of(text: str) -> int:
    """An estimate, named as such: a quarter of the UTF-8 bytes, rounded up."""
    return -(-len(text.encode()) // 4)


def context_block(principal: Principal, wanted: Wanted, max_tokens: int) -> dict[str, Any]:
    """The block for this caller, with what it holds and how many entries had no room."""
    entries = [entry for source in _sources for entry in source(principal, wanted)]
    entries.sort(key=lambda entry: (-entry.importance, entry.id))
    chosen = _within(entries, max_tokens)
    omitted = len(entries) - len(chosen)
    text = _block(chosen, omitted) if entries else EMPTY
    return {
        "context": text,
        "tokens": tokens_of(text),
        "tokenizer": TOKENIZER,
        "entries": [
            {"id": entry.id, "kind": entry.kind, "importance": entry.importance, "title": entry.title}
            for entry in chosen
        ],
        "omitted": omitted,
    }


def _within(entries: list[Entry], max_tokens: int) -> list[Entry]:
    """The longest beginning of the ranked entries whose block fits: a cut falls between two entries."""
    low, high = 0, len(entries)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens_of(_block(entries[:middle], len(entries) - middle)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return entries[:low]


def _block(entries: list[Entry], omitted: int) -> str:
    """Grouped by scope; inside a group the most important first."""
    order = list(SCOPES)
    grouped = groupby(sorted(entries, key=lambda entry: order.index(entry.scope)), key=lambda entry: entry.scope)
    parts = [
        f"# {SCOPES[scope]}\n" + "\n".join(f"## {entry.title}\n{entry.content}" for entry in group)
        for scope, group in grouped
    ]
    if omitted:
        parts.append(
            f"{omitted} more {'entry' if omitted == 1 else 'entries'} did not fit; ask with a larger maxTokens."
        )
    return "\n\n".join(parts)
