"""Inputs and answers of the session's routes; help texts are the one text for OpenAPI and tools."""

from rest_framework import serializers

from api.serializers import CamelSerializer, Flag, Text, Whole


class ContextQuery(CamelSerializer):
    """For what, and how long."""

    max_tokens = Whole(default=2000, min_value=200, max_value=16_000, help_text="The longest block, in tokens.")
    agent_id = Text(required=False, max_length=200, help_text="Also what is kept for this agent.")
    department_id = Text(required=False, max_length=200, help_text="Only this department's part, besides the tenant's.")
    query = Text(required=False, allow_blank=True, max_length=1000, help_text="What the work is about.")


class EntryAnswer(CamelSerializer):
    """One entry of the block."""

    id = Text()
    kind = Text(help_text="memory or knowledge.")
    importance = Whole(help_text="1 to 10.")
    title = Text()


class ContextAnswer(CamelSerializer):
    """The block and what it holds."""

    context = Text(help_text="The block.")  # type: ignore[assignment]
    tokens = Whole(help_text="Its length.")
    tokenizer = Text(help_text="How tokens are counted.")
    entries = EntryAnswer(many=True)
    omitted = Whole(help_text="Entries that had no room.")


class CredentialAnswer(CamelSerializer):
    """What the caller showed."""

    kind = Text(help_text="api_key, oauth or session.")
    id = Text()
    name = Text()
    router = Flag(help_text="Whether it shows three small tools instead of what it reaches.")
    read_only = Flag()  # type: ignore[assignment]
    expires_at = Text(allow_null=True)


class UserAnswer(CamelSerializer):
    """Who acts."""

    id = Text()
    name = Text()
    email = Text()


class NamedAnswer(CamelSerializer):
    """A tenant or a department."""

    id = Text()
    slug = Text()
    name = Text()


class MissionAnswer(CamelSerializer):
    """An open mission that the caller takes part in."""

    id = Text()
    title = Text()
    status = Text()
    agent_id = Text()


class NotAdvertisedAnswer(CamelSerializer):
    """A tool that is left out, and why."""

    name = Text()
    reason = Text()


class HiddenAnswer(CamelSerializer):
    """How many tools each layer keeps from this caller."""

    permission = Whole(help_text="The role lacks the permission.")
    scope = Whole(help_text="The key's scopes lack it.")
    allowlist = Whole(help_text="The key's allowlist lacks it.")
    read_only = Whole(help_text="It changes something, and reading alone is allowed.")  # type: ignore[assignment]
    unavailable = Whole(help_text="It is not served here.")


class ToolsAnswer(CamelSerializer):
    """What this credential reaches."""

    open_keys = True

    advertised = serializers.ListField(child=Text(), help_text="The names that tools/list shows.")
    reachable = Whole(help_text="How many tools can be called.")
    not_advertised = NotAdvertisedAnswer(many=True)
    hidden = HiddenAnswer()


class LimitsAnswer(CamelSerializer):
    """How much is allowed."""

    calls_per_minute = Whole()
    concurrent_calls = Whole()
    result_characters = Whole()


class ServerAnswer(CamelSerializer):
    """Who answers."""

    name = Text()
    version = Text()
    protocol_versions = serializers.ListField(child=Text())


class WhoamiAnswer(CamelSerializer):
    """Who the caller is and what this credential may do."""

    credential = CredentialAnswer()
    user = UserAnswer()
    role = Text()
    tenant = NamedAnswer()
    departments = NamedAnswer(many=True)
    missions = MissionAnswer(many=True)
    tools = ToolsAnswer()
    limits = LimitsAnswer()
    server = ServerAnswer()
