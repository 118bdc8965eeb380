"""The embedded services of one data folder: what is needed, on which ports, and whether they answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from launch import postgres, services, valkey_server
from launch.child import Child, Program
from launch.private_files import make_private
from launch.readiness import broker_answers, database_answers, wait_until
from launch.services import Remembered


class EmbeddedServices:
    """PostgreSQL, Valkey or both under `data_dir`; `durable` keeps the data through a crash of the machine."""

    def __init__(
        self, data_dir: Path, *, with_database: bool = True, with_valkey: bool = True, durable: bool = True
    ) -> None:
        self.data_dir, self.durable = data_dir, durable
        self.with_database, self.with_valkey = with_database, with_valkey
        self.database_url: str | None = None
        self.redis_url: str | None = None

    def furnish(self) -> list[Program]:
        """Make the folders that are missing, choose the ports, write services.json; returns the programs to start."""
        make_private(self.data_dir)
        facts, programs = services.remembered(self.data_dir), []
        if self.with_database:
            facts["database"] = endpoint = postgres.furnish(self.data_dir, facts.get("database"), durable=self.durable)
            self.database_url = postgres.url(endpoint)
            programs.append(postgres.program(self.data_dir, endpoint, durable=self.durable))
        if self.with_valkey:
            facts["valkey"] = endpoint = valkey_server.furnish(self.data_dir, facts.get("valkey"), durable=self.durable)
            self.redis_url = valkey_server.url(endpoint)
            programs.append(valkey_server.program(self.data_dir))
        self._remember(facts)
        return programs

    def _remember(self, facts: Remembered) -> None:
        facts["databaseUrl"], facts["redisUrl"] = self.database_url, self.redis_url
        facts["holder"] = services.this_process()
        services.remember(self.data_dir, facts)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a child to these services."""
        found = {"DATABASE_URL": self.database_url, "REDIS_URL": self.redis_url}
        return {name: url for name, url in found.items() if url}

    def answer(self) -> bool:
        """Whether all of them answer now."""
        return (not self.database_url or database_answers(self.database_url)) and (
            not self.redis_url or broker_answers(self.redis_url)
        )


@contextmanager
def running(data_dir: Path, *, durable: bool = True) -> Iterator[dict[str, str]]:
    """Both services without a supervisor; gives the variables that lead to them, and stops them at the end."""
    embedded = EmbeddedServices(data_dir, durable=durable)
    children: list[Child] = []
    log = data_dir / "services.log"
    try:
        programs = embedded.furnish()
        with log.open("a", encoding="utf-8", buffering=1) as file:
            children = [Child(program, lambda line: print(line, file=file)) for program in programs]
            wait_until(embedded.answer, children)
            yield embedded.environment
            for child in children:
                child.ask_to_stop()
            for child in children:
                child.wait(10)
    finally:
        for child in children:
            child.clear_away()
