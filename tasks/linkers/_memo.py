"""Work done once for a catalog and remembered for as long as that very catalog lives."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast
from weakref import finalize

from schemas.catalog import Catalog

P = ParamSpec("P")
T = TypeVar("T")


def per_catalog(work: Callable[Concatenate[Catalog, P], T]) -> Callable[Concatenate[Catalog, P], T]:
    """Remember what a function makes of a catalog by the catalog's identity, and forget it with the catalog.

    Comparing catalogs by value would hash tens of thousands of fields. The other arguments must be hashable, and the
    function's value must not hold the catalog.
    """
    memo: dict[int, dict[object, T]] = {}

    @wraps(work)
    def remembered(catalog: Catalog, *args: P.args, **kwargs: P.kwargs) -> T:
        known = memo.get(id(catalog))
        if known is None:
            known = memo.setdefault(id(catalog), {})
            finalize(catalog, memo.pop, id(catalog), None).atexit = False
        key = (args, tuple(kwargs.items()))
        if key not in known:
            known[key] = work(catalog, *args, **kwargs)
        return known[key]

    return cast(Callable[Concatenate[Catalog, P], T], remembered)
