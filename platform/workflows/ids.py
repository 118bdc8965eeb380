"""The ids of workflows and steps: they stand in paths, URLs and tool names."""

import re

ID_CHARACTERS = 120
_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{ID_CHARACTERS}}}")


def is_id(text: object) -> bool:
    """Whether the text may be the id of a workflow or of a step."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def check_id(text: str) -> str:
    """The id; ValueError when it is none."""
    if not is_id(text):
        raise ValueError(f"{text!r} is no id: use letters, digits, _ and -, at most {ID_CHARACTERS} of them.")
    return text
