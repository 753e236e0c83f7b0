"""An end to every call: sockets whose time is up are shut, whatever they are waiting for."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Watch:
    """One call's deadline and whether it was missed."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self.connection = connection
        self.deadline = deadline
        self.expired = False

    def expire(self) -> None:
        """Shut the call's socket, which wakes its reader."""
        self.expired = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


class Deadlines:
    """The calls under way and one thread that ends those which take too long.

    Timeouts of sockets limit the wait for the next byte; a server that drips bytes would keep such a call for ever.
    """

    def __init__(self) -> None:
        self._watches: set[Watch] = set()
        self._changed = threading.Condition()
        self._next = float("inf")
        threading.Thread(target=self._run, name="deadlines", daemon=True).start()

    @contextmanager
    def limit(self, connection: socket.socket, seconds: float) -> Iterator[Watch]:
        """Watch one call; its socket is shut when the time is up."""
        watch = Watch(connection, time.monotonic() + seconds)
        with self._changed:
            self._watches.add(watch)
            if watch.deadline < self._next:
                self._changed.notify()
        try:
            yield watch
        finally:
            with self._changed:
                self._watches.discard(watch)

    def _run(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                late = [watch for watch in self._watches if watch.deadline <= now]
                self._watches.difference_update(late)
                self._next = min((watch.deadline for watch in self._watches), default=float("inf"))
                if not late:
                    self._changed.wait(None if self._next == float("inf") else self._next - now)
            for watch in late:
                watch.expire()
