"""The whole catalogue as text that a person reviews: what each tool takes, wraps, needs and promises."""

from collections.abc import Iterable

from api.toolsets import ToolSpec, toolsets
from gateway.offers import Listing
from gateway.router import router_listings
from gateway.sources.templates import operation_of, template


def catalog_text() -> str:
    """One block a tool, in the order of listings; the router's own tools last."""
    blocks = []
    for toolset in toolsets():
        blocks.append(f"== {toolset.name}\n")
        blocks += [_block(template(spec, toolset.name), spec) for spec in toolset.tools]
    blocks.append("== router\n")
    blocks += [_block(listing, None) for listing in router_listings().values()]
    return "\n".join(blocks)


def arguments_of(listing: Listing) -> list[str]:
    """The names of the arguments, required ones with a star."""
    required = listing.input_schema.get("required", ())
    return [f"{name}*" if name in required else name for name in listing.input_schema["properties"]]


def _block(listing: Listing, spec: ToolSpec | None) -> str:
    lines = [listing.name, f"  {listing.title}: {listing.description}", f"  takes: {_joined(arguments_of(listing))}"]
    if spec is not None:
        lines += [
            f"  aliases: {_joined(spec.aliases)}",
            f"  routes: {_joined(map(str, spec.routes))}",
            f"  permission: {operation_of(spec.route).permission or '-'}",
        ]
    hints = [name.removesuffix("Hint") for name, value in listing.annotations.items() if value]
    lines += [
        f"  hints: {_joined(hints)}",
        f"  returns: {'structured' if listing.output_schema else 'text'}",
        f"  keywords: {listing.keywords or '-'}",
    ]
    return "\n".join(lines) + "\n"


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "-"
