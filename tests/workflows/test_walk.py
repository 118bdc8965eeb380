"""Whatever the graph, wherever a process dies, in whatever order steps end: the same result, and no step twice."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from workflows.checking import read_graph
from workflows.definitions import input_fault
from workflows.functions import step
from workflows.graph import nodes_of
from workflows.leaves import Leaf
from workflows.records import RESUMED, Record
from workflows.walk import Walk

Graph = dict[str, Any]
WAITS = "waits"


@step
def walked(data: Any) -> Any:
    """Stands in the graphs of these tests; the test itself says what comes of it."""
    return data


def leaves() -> st.SearchStrategy[Graph]:
    """One step; some wait for a person first."""
    return st.sampled_from(["s", WAITS]).map(lambda name: {"type": "step", "step": {"id": name, "function": "walked"}})


def nodes(depth: int) -> st.SearchStrategy[Graph]:
    """Any node; nested workflows up to a depth."""
    single = leaves() if not depth else st.one_of(leaves(), graphs(depth - 1).map(_nested))
    several = st.lists(single, min_size=1, max_size=3)
    return st.one_of(
        single,
        several.map(lambda steps: {"type": "parallel", "steps": steps}),
        st.tuples(several, st.integers(0, 7)).map(_conditional),
        st.tuples(single, st.integers(1, 3)).map(_foreach),
        st.tuples(single, st.integers(1, 3)).map(_loop),
        st.just({"type": "sleep", "duration": 0}),
        st.just({"type": "mapping", "mapping": {"was": "length(to_string(input))", "began": "init.n"}}),
    )


def graphs(depth: int) -> st.SearchStrategy[Graph]:
    """A few nodes one after another; a foreach gets an array."""
    several = st.lists(nodes(depth), min_size=1, max_size=4)
    return several.map(lambda found: {"steps": [one for node in found for one in _fed(node)]})


def _foreach(pair: tuple[Graph, int]) -> Graph:
    return {"type": "foreach", "step": pair[0], "opts": {"concurrency": pair[1]}}


def _fed(node: Graph) -> list[Graph]:
    feeding = {"type": "mapping", "mapping": ["length(to_string(input))", "init.n", "'x'"]}
    return [feeding, node] if node["type"] == "foreach" else [node]


def _nested(graph: Graph) -> Graph:
    return {"type": "workflow", "id": "w", "workflowId": "w", "body": graph}


def _conditional(pair: tuple[list[Graph], int]) -> Graph:
    steps, bits = pair
    conditions = [{"op": "exists" if bits >> index & 1 else "notExists", "path": "init"} for index in range(len(steps))]
    return {"type": "conditional", "steps": steps, "conditions": conditions}


def _loop(pair: tuple[Graph, int]) -> Graph:
    condition = {"op": "gte", "left": {"path": "iterationCount"}, "right": {"literal": pair[1]}}
    return {"type": "loop", "step": pair[0], "condition": condition, "loopType": "dountil"}


def body_of(graph: Graph) -> Graph:
    """The graph with unique ids, checked as a stored one is."""
    counter = Counter[str]()

    def named(entry: Graph) -> Graph:
        made = deepcopy(entry)
        if made["type"] in ("step", "workflow"):
            holder = made["step"] if made["type"] == "step" else made
            counter[holder["id"]] += 1
            holder["id"] += str(counter[holder["id"]])
        if made["type"] == "workflow":
            made["body"] = {"steps": [named(inner) for inner in made["body"]["steps"]]}
        elif made["type"] in ("foreach", "loop"):
            made["step"] = named(made["step"])
        elif "steps" in made:
            made["steps"] = [named(inner) for inner in made["steps"]]
        return made

    return _read([named(entry) for entry in graph["steps"]])


def _read(steps: list[Graph]) -> Graph:
    """Ids for what has none; a nested graph is put back after the check, as the composer does."""
    bodies: dict[str, Graph] = {}

    def outside(entry: Graph) -> Graph:
        if entry["type"] == "workflow":
            bodies[entry["id"]] = entry["body"]
            return {name: value for name, value in entry.items() if name != "body"}
        if entry["type"] in ("foreach", "loop"):
            return {**entry, "step": outside(entry["step"])}
        return {**entry, "steps": [outside(inner) for inner in entry["steps"]]} if "steps" in entry else entry

    def inside(entry: Graph) -> Graph:
        if entry["type"] == "workflow":
            return {**entry, "body": _read(bodies[entry["id"]]["steps"])}
        if entry["type"] in ("foreach", "loop"):
            return {**entry, "step": inside(entry["step"])}
        return {**entry, "steps": [inside(inner) for inner in entry["steps"]]} if "steps" in entry else entry

    read = read_graph("walk", {"steps": [outside(entry) for entry in steps]})
    return {"steps": [inside(entry) for entry in read["steps"]]}


class Driver:
    """Carries out a graph in memory: `chance` says when a process dies, and which of the ready steps ends next."""

    def __init__(self, body: Graph, chance: Callable[[int], int]) -> None:
        self.body, self.chance = body, chance
        self.kept: dict[str, Record] = {}
        self.carried_out = Counter[str]()

    def run(self) -> Any:
        """The result, however many processes it takes."""
        while True:
            walk = Walk(nodes_of(self.body), {"n": 1}, deepcopy(self.kept), {}, input_fault)
            self._keep(walk)
            taken: list[Leaf] = []
            while self._advance(walk, taken):
                if self.chance(4) == 0:
                    break  # the process dies
            else:
                if walk.is_finished:
                    return walk.result
                assert walk.error is None, walk.error
                self._resume(walk)

    def _advance(self, walk: Walk, taken: list[Leaf]) -> bool:
        """One of the steps under way ends; False when there is none."""
        while (leaf := walk.take()) is not None:
            taken.append(leaf)
        if not taken:
            return False
        leaf = taken.pop(self.chance(len(taken)))
        if leaf.node.id.startswith(WAITS) and leaf.record.resume_payload is None:
            walk.suspend(leaf, {"asks": leaf.path}, None)
        else:
            self.carried_out[leaf.path] += 1
            walk.succeed(leaf, {"step": leaf.path, "of": sha256(repr(leaf.record.input).encode()).hexdigest()[:8]})
        self._keep(walk)
        return True

    def _keep(self, walk: Walk) -> None:
        self.kept |= {record.path: deepcopy(record) for record in walk.changed()}

    def _resume(self, walk: Walk) -> None:
        waiting = walk.suspended()
        assert waiting, "Nothing is ready, nothing waits, and it is not finished."
        record = self.kept[waiting[self.chance(len(waiting))].path]
        record.status, record.resume_payload = RESUMED, "go"


@settings(max_examples=100, deadline=None)
@given(graphs(2), st.randoms(use_true_random=False))
def test_crashes_and_orders_change_nothing(graph: Graph, random: Any) -> None:
    body = body_of(graph)
    calm = Driver(body, lambda _: -1)
    wild = Driver(body, random.randrange)

    assert wild.run() == calm.run()
    assert wild.carried_out == calm.carried_out
    assert set(wild.carried_out.values()) <= {1}
    assert {path: record.output for path, record in wild.kept.items()} == {
        path: record.output for path, record in calm.kept.items()
    }


def test_ten_thousand_items_are_walked_in_a_moment() -> None:
    step_entry = {"type": "step", "step": {"id": "s", "function": "walked"}}
    body = _read([{"type": "foreach", "step": step_entry, "opts": {"concurrency": 3}}])
    walk = Walk(nodes_of(body), list(range(10_000)), {}, {}, input_fault)

    while (leaf := walk.take()) is not None:
        walk.succeed(leaf, leaf.record.input)

    assert walk.result == list(range(10_000))
