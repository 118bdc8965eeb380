"""The database engine: PostgreSQL through a pool that hands out no dead connection and soon says when there is none."""

import select
from typing import Any

import psycopg
from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from psycopg_pool import PoolTimeout

IMPATIENT = 0.25  # seconds to wait for a connection while PostgreSQL is known to be away


class DatabaseWrapper(PostgresWrapper):
    """A connection that ended while it lay in the pool is dropped, as after a restart of PostgreSQL.

    Asking the socket costs a hundredth of a millisecond; asking the server, as CONN_HEALTH_CHECKS does, a round trip.
    """

    def get_new_connection(self, conn_params: Any) -> Any:
        """A connection that is alive; raises PoolTimeout."""
        while True:
            connection = self._from_pool(conn_params)
            if not self.pool or not _has_ended(connection):
                return connection
            connection.close()
            connection._pool.putconn(connection)  # which makes a new one in its place

    def _from_pool(self, conn_params: Any) -> Any:
        try:
            connection = super().get_new_connection(conn_params)
        except PoolTimeout:
            self.pool.timeout = IMPATIENT
            raise
        if self.pool:
            self.pool.timeout = self.settings_dict["OPTIONS"]["pool"]["timeout"]
        return connection


def _has_ended(connection: psycopg.Connection[Any]) -> bool:
    """Whether the server has closed it: an idle connection is readable only at its end."""
    try:
        socket = connection.pgconn.socket
    except psycopg.OperationalError:
        return True
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
