"""The demo's workflows, both stored: one waits for a person's approval, one asks an agent many questions at once."""

from typing import Any

from workflows.definitions import check_graph
from workflows.models import STORED, Workflow

APPROVAL_ID, FAN_OUT_ID = "refund-approval", "answer-questions"

Graph = dict[str, Any]

REFUND: Graph = {
    "inputSchema": {
        "type": "object",
        "properties": {
            "customer": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Who gets the money."},
            "amount": {"type": "number", "minimum": 0.01, "maximum": 100_000, "description": "In EUR."},
            "reason": {"type": "string", "maxLength": 1000, "description": "What went wrong."},
        },
        "required": ["customer", "amount", "reason"],
        "additionalProperties": False,
    },
    "steps": [
        {
            "type": "mapping",
            "id": "request",
            "mapping": {
                "summary": "join('', ['Refund of ', to_string(input.amount), ' EUR to ', input.customer])",
                "amount": "input.amount",
                "reason": "input.reason",
            },
        },
        {
            "type": "conditional",
            "id": "large",
            "conditions": [{"op": "gt", "left": {"path": "input.amount"}, "right": {"literal": 100}}],
            "steps": [{"type": "step", "step": {"id": "decision", "function": "approval"}}],
        },
        {
            "type": "mapping",
            "id": "answer",
            "mapping": {
                "customer": "init.customer",
                "amount": "init.amount",
                "approved": "!(input.decision) || input.decision.approved",
                "comment": "not_null(input.decision.comment, 'Up to 100 EUR are refunded without asking.')",
            },
        },
    ],
}

QUESTIONS: Graph = {
    "inputSchema": {
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 1000},
                "minItems": 1,
                "maxItems": 50,
                "description": "What customers ask.",
            }
        },
        "required": ["questions"],
        "additionalProperties": False,
    },
    "steps": [
        {"type": "mapping", "id": "each-question", "mapping": "input.questions"},
        {
            "type": "foreach",
            "opts": {"concurrency": 3},
            "step": {
                "type": "step",
                "step": {"id": "ask", "agent": "concierge", "retries": 2, "retryDelay": 1, "timeout": 120},
            },
        },
        {
            "type": "mapping",
            "id": "answer",
            "mapping": {"questions": "init.questions", "answers": "input[].text"},
        },
    ],
}

# id → name, description, graph
WORKFLOWS: dict[str, tuple[str, str, Graph]] = {
    APPROVAL_ID: (
        "Refund approval",
        "Decides on a refund: up to 100 EUR at once, above that after a person has approved or declined.",
        REFUND,
    ),
    FAN_OUT_ID: (
        "Answer questions",
        "Asks the concierge every question of a list, three at a time, and returns the answers in their order.",
        QUESTIONS,
    ),
}


def make(context: Any) -> None:
    """Make or take over the workflows of the first organisation, and name them."""
    for slug, (name, description, graph) in WORKFLOWS.items():
        written = {"name": name, "description": description, "origin": STORED, "graph": graph}
        workflow, _ = Workflow.objects.get_or_create(tenant=context.made["tenant"], slug=slug, defaults=written)
        check_graph(workflow)
    context.facts["workflows"] = {"approval": APPROVAL_ID, "fanOut": FAN_OUT_ID, "featured": APPROVAL_ID}
