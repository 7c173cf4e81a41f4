"""Cases of a test that share its fixtures."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any

Test = Callable[..., Any]


def each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, for cases that leave nothing behind: one test tries all of them, one after the
    other, with the same fixtures. Making those often takes longer than a case. A failure names its case.
    """
    wanted, every = (names,) if isinstance(names, str) else tuple(names), tuple(cases)
    assert every, "there is no case"

    def decorate(test: Test) -> Test:
        def values_of(case: Any) -> dict[str, Any]:
            return dict(zip(wanted, (case,) if isinstance(names, str) else case, strict=True))

        async def awaits_each(**fixtures: Any) -> None:
            for case in every:
                with _named(case):
                    await test(**fixtures, **values_of(case))

        def tries_each(**fixtures: Any) -> None:
            for case in every:
                with _named(case):
                    test(**fixtures, **values_of(case))

        whole: Any = awaits_each if inspect.iscoroutinefunction(test) else tries_each
        update_wrapper(whole, test)
        del whole.__wrapped__  # pytest would ask for its parameters
        signature = inspect.signature(test)
        kept = [given for name, given in signature.parameters.items() if name not in wanted]
        whole.__signature__ = signature.replace(parameters=kept)
        tried: Test = whole
        return tried

    return decorate


@contextmanager
def _named(case: Any) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {case!r}")
        raise
