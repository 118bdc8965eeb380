"""Bucket and slots that all processes share: one script on Valkey, one round trip, the server's clock."""

import hashlib
from functools import lru_cache

import redis

from ground import valkey
from limits.terms import Standing, Terms

# KEYS: bucket, and slots when they count. ARGV: interval, burst, then concurrent, slot, lease. Times in microseconds.
# The bucket is one number: when it will be full again. Every token pushes that moment away by one interval.
# A slot is a member whose score is the end of its lease, so that the slots of a killed process come back.
# A call that finds no slot pays no token.
SCRIPT = """
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local full = tonumber(redis.call('GET', KEYS[1]) or now)
if full < now then full = now end
local left = math.floor((burst * interval - (full - now)) / interval)
if left < 1 then
  return {1, 0, full - now, full - now - (burst - 1) * interval}
end
if KEYS[2] then
  local most, lease = tonumber(ARGV[3]), tonumber(ARGV[5])
  local held = redis.call('ZCARD', KEYS[2])
  if held >= most then
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
    held = redis.call('ZCARD', KEYS[2])
  end
  if held >= most then
    return {2, left, full - now, 1000000}
  end
  redis.call('ZADD', KEYS[2], now + lease, ARGV[4])
  redis.call('PEXPIRE', KEYS[2], math.ceil(lease / 1000))
end
full = full + interval
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return {0, left - 1, full - now, 0}
"""
_SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()


def spend(name: str, terms: Terms) -> Standing:
    """Take one token of the bucket. Raises redis.RedisError when Valkey is away."""
    return _run(1, _bucket_key(name), terms.interval, terms.burst)


def look(name: str, terms: Terms) -> Standing:
    """How the bucket stands, without taking anything. Raises redis.RedisError when Valkey is away."""
    waits = max(0, valkey.client().pttl(_bucket_key(name))) * 1000
    return terms.standing(waits)


def enter(name: str, terms: Terms, slot: bytes, lease: float) -> Standing:
    """Take one token and one slot, for `lease` seconds at most. Raises redis.RedisError when Valkey is away."""
    return _run(
        2,
        _bucket_key(name),
        _slots_key(name),
        terms.interval,
        terms.burst,
        terms.concurrent,
        slot,
        int(lease * 1_000_000),
    )


def leave(name: str, slot: bytes) -> bool:
    """Give the slot back without waiting for an answer; True when sent. Raises redis.RedisError when it is away."""
    client = valkey.client()
    if not _may_be_silent(client):
        client.zrem(_slots_key(name), slot)
        return True
    pool = client.connection_pool
    connection = pool.get_connection()
    try:
        quietly = _packed(b"CLIENT", b"REPLY", b"SKIP") + _packed(b"ZREM", _slots_key(name).encode(), slot)
        connection.send_packed_command([quietly])  # type: ignore[no-untyped-call]
    finally:
        pool.release(connection)
    return True


def _bucket_key(name: str) -> str:
    # The braces keep both keys on one node of a cluster.
    return f"atrium:limit:{{{name}}}:bucket"


def _slots_key(name: str) -> str:
    return f"atrium:limit:{{{name}}}:slots"


def _packed(*words: bytes) -> bytes:
    """A command as it goes over the wire."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)


def _run(keys: int, *values: str | bytes | int) -> Standing:
    client = valkey.client()
    try:
        return Standing(*client.evalsha(_SHA, keys, *values))
    except redis.exceptions.NoScriptError:  # the server is new, or was restarted
        return Standing(*client.eval(SCRIPT, keys, *values))


@lru_cache(maxsize=4)
def _may_be_silent(client: redis.Redis) -> bool:
    """Whether the server lets us skip replies; asked once a client, since some servers forbid it."""
    try:
        client.client_reply("ON")
    except redis.ResponseError:
        return False
    return True
