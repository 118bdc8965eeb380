"""Real rows to ask, and the same rows as plain facts."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

from django.db.models import F, QuerySet, TextField, Value
from django.db.models.functions import NullIf

from agents.models import Agent
from api.fields import Field, FieldTable, rows_of, text_of
from identity.models import Department
from receipts.models import StoredAnswer
from tests.api.evaluation import Facts, in_milliseconds
from tests.api.predicate_strategies import WORDS
from tests.cast import Cast

MOMENTS = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=step) for step in (-1000, -1, 0, 1, 999, 1000)]
METADATA: tuple[dict[str, Any], ...] = (
    {}, {"k": "alpha"}, {"k": " beta\u00a0"}, {"k": ""}, {"k": " "}, {"k": 5}, {"k": None}, {"7": "alpha"},
)  # fmt: skip

AGENTS = FieldTable(
    {
        "name": Field("S", "name"),
        "description": Field("S", "description"),
        "department": Field("S", "department__name"),
        "outer": Field("S", "department__parent__name"),
        "createdAt": Field("O", "created_at", "timestamp"),
        "author": Field("P", "author_id"),
        "tags": Field("A", "tags"),
    },
    metadata=text_of("metadata"),
)
ANSWERS = FieldTable(
    {
        "key": Field("S", "key"),
        "status": Field("O", "status", "number"),
        "either": Field(
            "O", NullIf(F("body"), Value("", output_field=TextField())), "stringOrNumber", numbers="status"
        ),
        "leaseUntil": Field("O", "lease_until", "timestamp"),
    }
)
DEPARTMENTS = FieldTable(
    {"name": Field("S", "name"), "parent": Field("S", "parent__name")},
    related={"agents": rows_of(Agent.objects.all, "department_id", "pk")},
    related_tables={"agents": AGENTS},
)


class World(NamedTuple):
    """Rows of one kind, and their facts by primary key."""

    rows: QuerySet[Any]
    table: FieldTable
    facts: dict[Any, Facts]

    def __repr__(self) -> str:
        return f"{len(self.facts)} rows"


def departments_and_agents_of(cast: Cast, chance: Random) -> tuple[World, World]:
    """Twelve departments, some below another one, some without agents; and the agents."""
    made: list[Department] = []
    for number in range(12):
        parent = chance.choice([None, *made[:6]])
        slug, name = f"d{number}", chance.choice(WORDS)
        made.append(Department.objects.create(tenant=cast.tenant, slug=slug, name=name, parent=parent))
    agents = agents_of(cast, chance, made[:9])
    facts = {
        row.pk: {
            "name": row.name,
            "parent": row.parent.name if row.parent else None,
            "agents": [agents.facts[agent.pk] for agent in agents.rows if agent.department_id == row.pk],
        }
        for row in made
    }
    return World(Department.objects.filter(pk__in=facts), DEPARTMENTS, facts), agents


def agents_of(cast: Cast, chance: Random, departments: list[Department]) -> World:
    """Forty agents of these departments, or of none."""
    facts: dict[Any, Facts] = {}
    for number in range(40):
        agent = Agent.objects.create(
            tenant=cast.tenant,
            slug=f"agent-{number}",
            name=chance.choice(WORDS),
            description=chance.choice((None, *WORDS)),
            department=chance.choice((None, *departments)),
            author=chance.choice((None, cast.ana.user)),
            tags=chance.sample(WORDS, chance.randrange(3)),
            metadata=chance.choice(METADATA),
        )
        agent.created_at = chance.choice(MOMENTS)
        agent.save(update_fields=["created_at"])
        facts[agent.pk] = _facts_of_agent(agent)
    return World(Agent.objects.filter(pk__in=facts), AGENTS, facts)


def _facts_of_agent(agent: Agent) -> Facts:
    department = agent.department
    return {
        "name": agent.name,
        "description": agent.description,
        "department": department.name if department else None,
        "outer": department.parent.name if department and department.parent else None,
        "createdAt": in_milliseconds(agent.created_at),
        "author": agent.author_id,
        "tags": agent.tags,
        **{f"metadata.{key}": _text(agent.metadata.get(key)) for key in ("k", "7")},
    }


def _text(value: Any) -> str | None:
    return (value.strip() or None) if isinstance(value, str) else None


def answers_of(cast: Cast, chance: Random) -> World:
    """Forty stored answers: each has a text, a number, or neither."""
    facts: dict[Any, Facts] = {}
    for number in range(40):
        either = chance.choice((None, 0, 1, 2, 3, *WORDS))
        row = StoredAnswer.objects.create(
            tenant=cast.tenant, user_id=cast.ana.user.id, credential_kind="api_key", credential_id=str(uuid4()),
            key=f"{chance.choice(WORDS)}", operation=f"op {number}", digest="", state=StoredAnswer.DONE,
            status=either if isinstance(either, int) else None, body=either if isinstance(either, str) else "",
            lease_until=chance.choice(MOMENTS), expires_at=MOMENTS[0],
        )  # fmt: skip
        facts[row.pk] = {
            "key": row.key,
            "status": row.status,
            "either": either or (0 if either == 0 else None),
            "leaseUntil": in_milliseconds(row.lease_until),
        }
    return World(StoredAnswer.objects.filter(pk__in=facts), ANSWERS, facts)
