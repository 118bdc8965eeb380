"""What `up` prints when it serves."""

from launch.addresses import Addresses
from launch.welcome import welcome

ADDRESSES = Addresses("http://here", "http://here/api/mcp", "http://here/admin/")
FACTS = {
    "keys": {"owner": "atr_owner", "member": "atr_member"},
    "admin": {"url": "http://here/admin/", "username": "olivia", "password": "first-secret"},
    "superuser": {"username": "root", "password": "second-secret"},
}


def test_a_new_demo_shows_its_keys_and_logins() -> None:
    text = welcome(ADDRESSES, FACTS, is_new=True)

    assert "  owner     atr_owner\n  member    atr_member\n" in text
    assert "admin login: olivia / first-secret\nsuperuser: root / second-secret\n" in text
    assert '--header "Authorization: Bearer atr_member"' in text


def test_later_starts_show_no_secret() -> None:
    text = welcome(ADDRESSES, FACTS, is_new=False)

    assert not any(secret in text for secret in ("atr_owner", "atr_member", "first-secret", "second-secret"))
    assert "see demo.json" in text
    assert '--header "Authorization: Bearer $KEY"' in text


def test_without_a_demo_there_is_no_word_of_it() -> None:
    assert "demo" not in welcome(ADDRESSES, None, is_new=False)
