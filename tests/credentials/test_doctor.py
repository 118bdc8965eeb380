"""The doctor's look at the keys."""

from pytest_django import Settings

from credentials.actions import issue_key, revoke_key
from credentials.doctor import checks
from tests.cast import Cast


def test_a_pepper_that_is_gone_is_named_until_its_keys_are(cast: Cast, settings: Settings) -> None:
    peppers = settings.KEY_PEPPERS
    settings.KEY_PEPPERS = {**peppers, 7001: "lost"}
    key, _ = issue_key(cast.ana.principal, owner=cast.ben.user, name="test", allowlist=["*"])
    before = [check.ok for check in checks()]
    settings.KEY_PEPPERS = peppers

    [found] = checks()
    revoke_key(cast.ana.principal, key)

    assert before == [True]
    assert found.line == "BAD API keys — KEY_PEPPERS lacks number 7001; put it back, or issue those keys again"
    assert [check.ok for check in checks()] == [True]
