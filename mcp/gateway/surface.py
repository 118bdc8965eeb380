"""What one caller sees and may call, kept until something that decides it changes."""

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import orjson

from api.toolsets import ObjectTool, Toolset, ToolSpec, toolsets
from gateway.catalog import SESSION, WHOAMI, canonical, clash
from gateway.conf import Conf, conf_of
from gateway.offers import Hidden, Listing, Offer
from gateway.router import router_listings
from gateway.search import Index
from gateway.sources.featured import FEATURED
from gateway.sources.platform import Enums, Gate, object_offer
from gateway.sources.templates import template
from ground.invalidation import ProcessCache
from identity.principal import Principal

PAGE = 1000  # tools


class Options(NamedTuple):
    """What the connection's URL asks for; it narrows and never widens. `toolsets` None: all."""

    read_only: bool = False
    toolsets: frozenset[str] | None = None


EVERYTHING = Options()


class Unadvertised(NamedTuple):
    """A tool that is left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Surface:
    """`offers` are what the caller may call by name, in the order of listings; `advertised` is what it is shown."""

    conf: Conf
    options: Options
    offers: dict[str, Offer]
    advertised: tuple[Listing, ...]
    hidden: dict[str, int]
    not_advertised: tuple[Unadvertised, ...]
    router: dict[str, Listing]

    def find(self, name: str) -> Offer | None:
        """The offer of a canonical name or an alias, spelt exactly; the router tools are not among them."""
        return self.offers.get(name) or self.offers.get(canonical(name))

    @cached_property
    def pages(self) -> tuple[bytes, ...]:
        """The result of `tools/list` for each page, as JSON."""
        shown = [listing.definition() for listing in self.advertised]
        starts = range(0, max(1, len(shown)), PAGE)
        return tuple(orjson.dumps({"tools": shown[start : start + PAGE]}) for start in starts)

    @cached_property
    def index(self) -> Index:
        """The words of everything reachable."""
        return Index(self.offers.values())


# What the connection of the running call asks for; `whoami` counts by it.
connection_options: ContextVar[Options] = ContextVar("connection_options", default=EVERYTHING)

_surfaces: ProcessCache[tuple[object, ...], Surface] = ProcessCache("surface", 2048)


def kept(principal: Principal, options: Options) -> Surface | None:
    """The surface, if it is at hand: no query, no waiting."""
    return _surfaces.get((principal.rights_key, options))


def surface(principal: Principal, options: Options = EVERYTHING) -> Surface:
    """The caller's surface; reads the database when it is not at hand."""
    key = (principal.rights_key, options)
    return _surfaces.load(key, lambda: build(principal, options), lambda _: principal.tenant_id)


def build(principal: Principal, options: Options) -> Surface:
    """Ask every toolset that the URL lets through, in the order of listings; the session's tools stay callable."""
    builder = _Builder(principal, options)
    for toolset in toolsets():
        if options.toolsets is None or toolset.name in options.toolsets or toolset.name == SESSION:
            builder.add(toolset)
    return builder.finished()


class _Builder:
    def __init__(self, principal: Principal, options: Options) -> None:
        self.principal, self.options, self.conf = principal, options, conf_of(principal.tenant_id)
        self.gate = Gate(
            principal, read_only=self.conf.read_only or options.read_only or principal.credential.read_only
        )
        self.enums = Enums(principal, self.conf.enum_limit)
        self.offers: dict[str, Offer] = {}
        self.hidden = Hidden()
        self.left_out: list[Unadvertised] = []

    def add(self, toolset: Toolset) -> None:
        """The toolset's own tools, those of featured objects, and its tools for single objects, beside or instead."""
        own = toolset.per_object(self.principal, self.conf.enum_limit) if toolset.per_object is not None else ()
        if toolset.instead and self._add_objects(own, toolset):
            for spec in toolset.tools:
                self.hidden.add(self._layer(spec, template(spec, toolset.name)) or "unavailable")
            return
        for spec in toolset.tools:
            offer = template(spec, toolset.name)
            if layer := self._layer(spec, offer):
                self.hidden.add(layer)
            else:
                self._take(spec, self.enums.narrowed(offer, spec))
            if spec.name in FEATURED:
                self._add_objects(FEATURED[spec.name](self.principal), toolset)
        if not toolset.instead:
            self._add_objects(own, toolset)

    def _add_objects(self, tools: Iterable[ObjectTool], toolset: Toolset) -> bool:
        """Whether the caller may use any of them; where others stand in for all of them, none is counted as hidden."""
        layers: list[str] = []
        some = False
        for tool in tools:
            offer = object_offer(tool, toolset.name)
            if reason := clash(offer.name) or ("Another tool has this name." if offer.name in self.offers else None):
                self.left_out.append(Unadvertised(offer.name, reason))
            elif layer := self._layer(tool.spec, offer):
                layers.append(layer)
            else:
                self._take(tool.spec, offer)
                some = True
        for layer in layers if some or not toolset.instead else ():
            self.hidden.add(layer)
        return some

    def finished(self) -> Surface:
        """Everything asked; a router key is shown the router's tools and `whoami`, as short as they can be."""
        router = router_listings() if self.principal.credential.router and self.gate.is_open else {}
        named = self.options.toolsets
        if router:
            # Its answer's shape alone would cost more than the three tools together.
            whoami = replace(self.offers[WHOAMI], output_schema={"type": "object"})
            shown: list[Listing] = [*router.values(), whoami]
        else:
            shown = [offer for offer in self.offers.values() if named is None or offer.toolset in named]
        known = {toolset.name for toolset in toolsets()}
        for name in sorted((named or frozenset()) - known):
            reason = f"There is no toolset of this name; there are {', '.join(sorted(known))}."
            self.left_out.append(Unadvertised(name, reason))
        return Surface(
            self.conf, self.options, self.offers, tuple(shown), self.hidden.counts, tuple(self.left_out), router
        )

    def _layer(self, spec: ToolSpec, offer: Offer) -> str | None:
        """What keeps the tool from the caller, or None."""
        if self.conf.toolsets is not None and offer.toolset not in (*self.conf.toolsets, SESSION):
            return "unavailable"
        return self.gate.refuses(spec, offer.name, writes=offer.writes)

    def _take(self, spec: ToolSpec, offer: Offer) -> None:
        step_up = self.gate.step_up(spec)
        self.offers[offer.name] = replace(offer, step_up=step_up) if step_up else offer
