"""`/health` and `/ready`: for whoever watches or balances; no secrets, no login."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from launch import state

RETRY_AFTER = 5  # seconds


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """This process is alive."""
    return JsonResponse({"status": "ok"})


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Database, broker and worker answer; otherwise 503, and which of them does not."""
    parts = {name: "ok" if answers else "away" for name, answers in state.parts().items()}
    away = [name for name, answer in parts.items() if answer == "away"]
    if not away:
        return JsonResponse({"status": "ready", **parts})
    error = f"Not ready: {', '.join(away)} away; try again in {RETRY_AFTER} s."
    return JsonResponse(
        {"status": "not ready", **parts, "error": error}, status=503, headers={"Retry-After": str(RETRY_AFTER)}
    )
