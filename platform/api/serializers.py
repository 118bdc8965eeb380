"""Serializers of the API: camelCase outside, strict about unknown keys, one built instance a class."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, ClassVar, Self

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.settings import api_settings

from api.naming import camel
from ground.errors import InvalidInput, Issue


class Text(serializers.CharField):
    """Text as it was sent: nothing trimmed, nothing turned into text."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("trim_whitespace", False)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise ValidationError("must be a string", code="invalid")
        return super().to_internal_value(data)


class Flag(serializers.BooleanField):
    """true or false, or the same word as text; nothing else is clear enough."""

    WORDS: ClassVar[dict[str, bool]] = {"true": True, "false": False}

    def to_internal_value(self, data: Any) -> bool:
        if isinstance(data, bool):
            return data
        if isinstance(data, str) and data in self.WORDS:
            return self.WORDS[data]
        raise ValidationError("must be true or false", code="invalid")


class Whole(serializers.IntegerField):
    """A whole number, or its exact text."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int | str):
            if not (isinstance(data, float) and data.is_integer()):
                raise ValidationError("must be a whole number", code="invalid")
            data = int(data)
        try:
            return int(super().to_internal_value(data))
        except ValidationError:
            raise ValidationError("must be a whole number", code="invalid") from None


class Json(serializers.JSONField):
    """Any JSON value; in a query string, its text."""


class CamelSerializer(serializers.Serializer[Any]):
    """The base of every input and answer.

    Fields are declared in snake_case and known outside in camelCase. Unknown keys are an error that lists the known
    ones. `open_keys = True` lets further keys through (free-form objects).
    """

    open_keys: ClassVar[bool] = False

    def get_fields(self) -> dict[str, Any]:
        renamed: dict[str, Any] = {}
        fields: dict[str, Any] = super().get_fields()
        for name, field in fields.items():
            outside = camel(name)
            if outside != name and field.source is None:
                field.source = name
                field._kwargs["source"] = name  # copies of the field are made from this
            renamed[outside] = field
        return renamed

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and not self.open_keys and (unknown := set(data) - set(self.fields)):
            raise ValidationError({name: [unknown_key(name, list(self.fields))] for name in sorted(map(str, unknown))})
        return super().to_internal_value(data)

    @classmethod
    def shared(cls) -> Self:
        """The built instance of this class: building one costs more than using it, and validation keeps no state."""
        built: Self = _built(cls)
        return built

    @classmethod
    def validated(cls, data: Any, sentence: str = "Invalid request body") -> dict[str, Any]:
        """The validated values under their snake_case names; InvalidInput with an issue for each fault."""
        try:
            return dict(cls.shared().run_validation(data))
        except ValidationError as fault:
            raise InvalidInput(sentence, issues_of(fault.detail)) from None


@lru_cache(maxsize=1024)
def _built(cls: type[Any]) -> Any:
    return cls()


def unknown_key(name: str, known: list[str]) -> str:
    """The sentence for a key that does not exist here: the nearest one, and all of them."""
    nearest = get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"unknown key{hint} Known keys: {', '.join(sorted(known)) or 'none'}" if hint else (
        f"unknown key; known keys: {', '.join(sorted(known)) or 'none'}"
    )  # fmt: skip


def issues_of(detail: Any, path: str = "") -> list[Issue]:
    """DRF's nested error detail as a flat list, with dotted paths and array indices as parts."""
    if isinstance(detail, Mapping):
        return [
            issue
            for key, inner in detail.items()
            for issue in issues_of(inner, path if key == api_settings.NON_FIELD_ERRORS_KEY else _joined(path, key))
        ]
    if isinstance(detail, list | tuple):
        if detail and all(isinstance(inner, Mapping | list) for inner in detail):
            return [issue for index, inner in enumerate(detail) for issue in issues_of(inner, _joined(path, index))]
        return [issue for inner in detail for issue in issues_of(inner, path)]
    return [Issue(field=path or "root", message=str(detail))]


def _joined(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)
