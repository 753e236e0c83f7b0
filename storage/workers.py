"""Processes that do one dangerous thing after another: one that hangs, crashes or grows is replaced, and only that.

They are started by ``subprocess`` because ``multiprocessing`` runs the caller's main module again and refuses to
start below the daemonic processes of clusters. Nothing is forked, so threads of the caller do no harm.
"""

import os
import pickle
import queue
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

from schemas.errors import Failure, UserError

P = ParamSpec("P")
T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
GRACE = 0.1
MARGIN = 10.0
START_SECONDS = 60.0
START = "import sys; from storage import workers; workers.serve(*map(int, sys.argv[1:]))"


class Worker:
    """One process and the pipe to it."""

    def __init__(self, memory: int) -> None:
        self.fault: BaseException | None = None
        self.pipe, theirs = Pipe()
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(theirs.fileno()), str(memory)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "MALLOC_ARENA_MAX": "2"},
        )
        theirs.close()

    def ready(self) -> bool:
        """Wait until the process has started; False where it did not."""
        with suppress(EOFError, OSError):
            return self.pipe.poll(START_SECONDS) and bool(self.pipe.recv())
        return False

    def call(self, seconds: float, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, bool]:
        """The function's value, or the exception it raised, and whether the process can take another call."""
        try:
            self.pipe.send((seconds, pickle.dumps((function, args))))
            answer, usable = self.pipe.recv()
            return pickle.loads(answer), usable
        except (EOFError, OSError):
            return self._death(), False

    def _death(self) -> Failure:
        code = self.process.wait()
        if code == -signal.SIGALRM:
            return Failure("timeout", "its process was ended at the limit")
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return Failure("crashed", f"its process ended with {how}")

    def end(self) -> None:
        """End the process, whatever it does; whoever waits for its answer is told by the end of the pipe."""
        self.process.kill()
        self.process.wait()


def _nothing() -> None:
    """Warm nothing up."""


class Pool:
    """A fixed number of workers for calls from many threads; ``memory`` bounds what each may claim, in bytes.

    ``warm_up`` is called in every new worker before it is given to anybody.
    """

    def __init__(self, workers: int = 0, memory: int = 2 << 30, warm_up: Callable[[], object] = _nothing) -> None:
        self.size = workers or os.cpu_count() or 1
        self.memory = memory
        self.warm_up = warm_up
        self._idle: queue.Queue[Worker | None] = queue.Queue()
        self._all: set[Worker] = set()
        self._lock = Lock()
        self._closed = False
        for _ in range(self.size):
            self._start()

    def _start(self) -> None:
        with self._lock:
            if not self._closed:
                worker = Worker(self.memory)
                self._all.add(worker)
                Thread(target=self._welcome, args=(worker,), daemon=True).start()

    def _take(self) -> Worker:
        worker = self._idle.get()
        if worker is None:
            self._idle.put(None)
            raise Failure("crashed", "the workers were closed")
        return worker

    def _welcome(self, worker: Worker) -> None:
        try:
            if worker.ready():
                value, usable = worker.call(START_SECONDS, self.warm_up, ())
                worker.fault = None if usable else value
        finally:
            self._idle.put(worker)

    def _replace(self, worker: Worker) -> None:
        worker.end()
        with self._lock:
            self._all.discard(worker)
        self._start()

    def call(self, seconds: float, function: Callable[P, T], *args: P.args, **_: P.kwargs) -> T:
        """Call an importable function in a worker; after ``seconds`` its process is ended.

        Raises what the function raises, and Failure ``timeout`` or ``crashed`` where its process ended.
        """
        worker = self._take()
        value, usable = (worker.fault, False) if worker.fault else worker.call(seconds, function, args)
        if usable:
            self._idle.put(worker)
        else:
            self._replace(worker)
        if isinstance(value, BaseException):
            raise value
        result: T = value
        return result

    def pids(self) -> list[int]:
        """The process ids of the present workers."""
        with self._lock:
            return [worker.process.pid for worker in self._all]

    def wait(self) -> None:
        """Wait until every worker is idle."""
        for worker in [self._take() for _ in range(self.size)]:
            self._idle.put(worker)

    def close(self) -> None:
        """End all workers; calls that are under way fail with ``crashed``."""
        with self._lock:
            self._closed = True
            workers, self._all = self._all, set()
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait()
        self._idle.put(None)
        for worker in workers:
            worker.end()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def allow(seconds: float) -> None:
    """Give the present call so long from now, instead of what it has left; outside a worker this does nothing."""
    if _inside:
        signal.setitimer(signal.ITIMER_REAL, seconds)


_inside: list[int] = []


def serve(descriptor: int, memory: int) -> None:
    """Answer calls until the caller goes away; the kernel ends this process where a call takes too long."""
    pipe = Connection(descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _inside.append(os.getpid())
    pipe.send(True)
    usable, start = True, 0
    while usable:
        try:
            seconds, call = pipe.recv()
        except (EOFError, OSError):
            return
        signal.setitimer(signal.ITIMER_REAL, seconds)
        answer, usable = _attempt(call)
        signal.setitimer(signal.ITIMER_REAL, 0)
        start = start or _bind(memory)
        usable = usable and _peak() - start < memory // 2
        pipe.send((answer, usable))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _bind(memory: int) -> int:
    """Limit the address space to what is mapped now and so much more; the resident size until now, in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return _peak()


def _attempt(call: bytes) -> tuple[bytes, bool]:
    """The pickled value or exception of a pickled call, and whether the process is as good as before."""
    try:
        function, args = pickle.loads(call)
        return pickle.dumps(function(*args)), True
    except (Failure, UserError) as error:
        return pickle.dumps(error), True
    except MemoryError:
        return pickle.dumps(Failure("too_large", "no memory left in its process")), False
    except BaseException:
        return pickle.dumps(RuntimeError(f"in a worker:\n{traceback.format_exc()}")), False
