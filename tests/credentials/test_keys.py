"""The text of a key, and the digest that is kept of it."""

import hashlib
import hmac
import re

import pytest
from pytest_django import Settings

from credentials import keys


def test_a_key_has_its_format() -> None:
    assert re.fullmatch(r"mcpk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}", str(keys.generate()))


def test_keys_differ() -> None:
    assert len({str(keys.generate()) for _ in range(100)}) == 100


def test_a_known_key_has_a_known_checksum() -> None:
    assert str(keys.KeyText("0" * 12, "0" * 43))[-6:] == keys._checksum("0" * 55)
    assert keys.parse("mcpk_" + "0" * 12 + "_" + "0" * 43 + keys._checksum("0" * 55)) == ("0" * 12, "0" * 43)


def test_a_key_is_read_in_parts() -> None:
    key = keys.generate()

    assert keys.parse(str(key)) == key


@pytest.mark.parametrize("place", [5, 16, 18, 40, 60, 61, 66])
def test_one_wrong_character_makes_it_no_key(place: int) -> None:
    text = str(keys.generate())
    wrong = "a" if text[place] != "a" else "b"

    assert keys.parse(text[:place] + wrong + text[place + 1 :]) is None


@pytest.mark.parametrize("text", ["", "mcpk_", "x" * 67, "mcpk_" + "é" * 62, "sk-0123456789"])
def test_other_texts_are_no_keys(text: str) -> None:
    assert keys.parse(text) is None


def test_a_key_with_more_around_it_is_none() -> None:
    text = str(keys.generate())

    assert [keys.parse(other) for other in (text + " ", " " + text, text[:-1], text.upper())] == [None] * 4


def test_the_digest_is_a_keyed_hash_of_the_secret(settings: Settings) -> None:
    settings.KEY_PEPPERS = {1: "old", 2: "new"}

    assert keys.digest("secret", 1) == hmac.new(b"old", b"secret", hashlib.sha256).hexdigest()
    assert keys.digest("secret", 2) == hmac.new(b"new", b"secret", hashlib.sha256).hexdigest()


def test_new_keys_take_the_newest_pepper_and_old_ones_keep_theirs(settings: Settings) -> None:
    settings.KEY_PEPPERS = {1: "old"}
    stored = keys.digest("secret", keys.newest_pepper())
    settings.KEY_PEPPERS = {1: "old", 2: "new"}

    assert keys.newest_pepper() == 2
    assert keys.matches("secret", 1, stored)
    assert not keys.matches("secret", 2, stored)
    assert not keys.matches("other", 1, stored)


def test_a_pepper_that_is_gone_opens_nothing(settings: Settings) -> None:
    settings.KEY_PEPPERS = {1: "old"}
    stored = keys.digest("secret", 1)
    settings.KEY_PEPPERS = {2: "new"}

    assert not keys.matches("secret", 1, stored)
