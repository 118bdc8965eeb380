"""Allowlists: checked when they are written, normalised when they are read."""

import pytest

from credentials import allowlist
from ground.errors import InvalidInput
from tests.cast import Cast


def test_old_names_are_read_as_today_s() -> None:
    assert allowlist.normalised(["list_departments", "agent_list", "agent_*", "*"]) == {
        "department_list", "agent_list", "agent_*", "*",
    }  # fmt: skip


def test_blanks_and_repeats_go(cast: Cast) -> None:
    assert allowlist.checked([" agent_list ", "", "agent_list", "*"], cast.tenant.id) == ["agent_list", "*"]


def test_what_was_written_stays_as_it_was_written(cast: Cast) -> None:
    assert allowlist.checked(["list_departments"], cast.tenant.id) == ["list_departments"]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("agent_lst", "There is no tool 'agent_lst'; did you mean agent_list?"),
        ("list_department", "There is no tool 'list_department'; did you mean list_departments?"),
        ("zzzzzzzz", "There is no tool 'zzzzzzzz'."),
        ("zzzzzzzz_*", "There is no tool 'zzzzzzzz_*'."),
    ],
)
def test_an_unknown_entry_names_the_nearest(cast: Cast, entry: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        allowlist.checked(["agent_get", entry], cast.tenant.id)

    assert refused.value.sentence == sentence


def test_a_pattern_reaches_a_namespace(cast: Cast) -> None:
    assert allowlist.matching(["department_*"], cast.tenant.id) == ["department_list"]
    assert set(allowlist.matching(["agent_*"], cast.tenant.id)) >= {"agent_list", "agent_get"}
    assert allowlist.matching([], cast.tenant.id) == []
