"""What became of the runs, set against what had to become of them."""

from collections import Counter
from dataclasses import dataclass, field

from durable.models import CANCELED, OVER, SUCCESS
from identity.principal import Principal
from tests.chaos import effects, flows
from tests.chaos.storm import Seen
from workflows.models import WorkflowRun, WorkflowStep

TRANSACTIONAL = ("chaos-reserve", "chaos-book", "chaos-even", "chaos-odd", "chaos-settle", "chaos-left")


@dataclass
class Verdict:
    """The figures of one storm, and a sentence for each thing that is not as it must be."""

    statuses: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    effects: int = 0
    repeated: int = 0  # times that an effect outside was asked for again
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """All of them."""
        return [*self.lost, *self.doubled, *self.wrong]


def judge(principal: Principal, seen: Seen) -> Verdict:
    """Look at every run, every record and every effect."""
    verdict = Verdict()
    runs = {run.run_id: run for run in WorkflowRun.objects.filter(tenant_id=principal.tenant_id)}
    records: dict[str, list[WorkflowStep]] = {}
    for record in WorkflowStep.objects.filter(run__tenant_id=principal.tenant_id).select_related("run"):
        records.setdefault(record.run.run_id, []).append(record)
    inside, outside = effects.by_run("chaos_effect"), effects.by_run("chaos_keyed")
    verdict.effects = effects.made()
    verdict.repeated = effects.attempts() - sum(map(len, outside.values()))
    verdict.steps = sum(map(len, records.values()))
    for run_id in seen.numbers:
        run = runs.get(run_id)
        verdict.statuses[run.status if run is not None else "missing"] += 1
        if run is None or run.status not in OVER:
            verdict.lost.append(f"{run_id} is {'not there' if run is None else run.status}.")
            continue
        _judge_run(verdict, seen, run, records.get(run_id, []), inside.get(run_id, []), outside.get(run_id, []))
    for run_id, times in seen.resumed:
        if times != 1 and not (times == 0 and run_id in seen.canceled):
            verdict.wrong.append(f"{run_id} was resumed by {times} of two.")
    return verdict


def _judge_run(
    verdict: Verdict, seen: Seen, run: WorkflowRun, records: list[WorkflowStep], inside: list[str], outside: list[str]
) -> None:
    name, wanted = run.run_id, flows.expected(seen.numbers[run.run_id])
    verdict.doubled += [
        f"{name}: the effect of {path} was made {times} times."
        for made in (inside, outside)
        for path, times in Counter(made).items()
        if times > 1
    ]
    kept = {record.path for record in records if record.status == SUCCESS and record.step_id in TRANSACTIONAL}
    if kept != set(inside):
        verdict.wrong.append(f"{name}: effects and records are apart in {sorted(kept ^ set(inside))}.")
    if run.status == CANCELED:
        if name not in seen.canceled:
            verdict.wrong.append(f"{name} is canceled, and nobody was told so.")
        if not (set(inside) <= wanted.once and set(outside) <= wanted.keyed):
            verdict.wrong.append(f"{name} has an effect of no step.")
        return
    if run.status != SUCCESS or run.result != wanted.result or name in seen.canceled:
        verdict.wrong.append(f"{name} is {run.status}: {run.result or run.error}, not {wanted.result}.")
        return
    if (set(inside), set(outside)) != (wanted.once, wanted.keyed):
        missing = sorted((wanted.once - set(inside)) | (wanted.keyed - set(outside)))
        verdict.wrong.append(f"{name} lacks the effects {missing}, or has others.")
    unfinished = [record.path for record in records if record.status != SUCCESS]
    if unfinished or len(records) != wanted.steps:
        verdict.wrong.append(f"{name} has {len(records)} records, not {wanted.steps}; unfinished: {unfinished}.")


def table(rows: list[tuple[str, Seen, Verdict]]) -> str:
    """One line a broker."""
    heads = (
        "broker", "runs", "success", "canceled", "failed", "steps", "effects", "asked again", "lost", "doubled",
        "wrong", "worker kills", "freezes", "broker kills", "seconds",
    )  # fmt: skip
    lines = [
        (
            name, len(seen.numbers), *(verdict.statuses[status] for status in ("success", "canceled", "failed")),
            verdict.steps, verdict.effects, verdict.repeated, len(verdict.lost), len(verdict.doubled),
            len(verdict.wrong), seen.worker_kills, seen.freezes, seen.broker_kills, f"{seen.seconds:.0f}",
        )
        for name, seen, verdict in rows
    ]  # fmt: skip
    widths = [max(len(str(line[column])) for line in (heads, *lines)) for column in range(len(heads))]
    return "\n".join(
        "  ".join(str(value).rjust(width) for value, width in zip(line, widths, strict=True))
        for line in (heads, *lines)
    )
