"""A process that calls in many threads at once; the tests start two. It reads nothing but its arguments."""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import config  # noqa: F401  (puts the source roots on the path)
from ground.errors import RateLimited
from identity.principal import Credential
from limits import bucket
from limits.admission import admit
from limits.terms import terms_of

THREADS = 32


def crowd(credential: Credential, tenant_id: UUID, calls: int) -> int:
    """How many of these calls were admitted; none is released."""
    barrier = threading.Barrier(THREADS)

    def share(_: int) -> int:
        barrier.wait()
        return sum(_admitted(credential, tenant_id) for _ in range(calls // THREADS))

    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(share, range(THREADS)))


def _admitted(credential: Credential, tenant_id: UUID) -> bool:
    try:
        admit(credential, tenant_id)
    except RateLimited:
        return False
    return True


def main() -> None:
    """Say `ready`, wait for a line, then do what the arguments say and print what came of it."""
    asked = json.loads(sys.argv[1])
    credential, tenant_id = Credential(**asked["credential"]), UUID(asked["tenant"])
    print("ready", flush=True)
    sys.stdin.readline()
    if "lease" in asked:
        name = f"{tenant_id}:{credential.kind}:{credential.id}"
        print(bucket.enter(name, terms_of(credential), b"doomed", asked["lease"]).verdict, flush=True)
        sys.stdin.readline()
    else:
        print(crowd(credential, tenant_id, asked["calls"]), flush=True)


if __name__ == "__main__":
    main()
