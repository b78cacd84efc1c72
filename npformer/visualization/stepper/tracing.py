"""The calls, lines, exceptions and returns of a thread, reported as by `sys.settrace`."""

import sys
from collections.abc import Callable
from threading import get_ident

from ...utils import InputError

REPORTED_TO: dict[
    int, Callable | None
] = {}  # by thread: what gets the calls; a recording started later takes over


def start_tracing(trace: Callable) -> Callable[[], None]:
    """Report what happens in this thread to a function, and return what ends it.

    From Python 3.12 on `sys.monitoring` reports, so that a debugger or a measurement of coverage is not disturbed.
    Raises `InputError` when all of its tools are in use.
    """
    if sys.version_info < (3, 12):
        before = sys.gettrace()
        sys.settrace(trace)
        return lambda: sys.settrace(before)
    monitoring, events, thread, tracers, codes = (
        sys.monitoring,
        sys.monitoring.events,
        get_ident(),
        {},
        set(),
    )
    tool = next((number for number in range(6) if monitoring.get_tool(number) is None), None)
    if tool is None:
        raise InputError(
            "all six tools of sys.monitoring are in use: end a debugger or profiler first"
        )

    def call(function, *arguments):
        try:
            return function(*arguments)
        except BaseException:
            stop()  # as sys.settrace does; otherwise every later call would raise too
            raise

    def enter(code, _):
        frame = sys._getframe(1)
        if REPORTED_TO.get(get_ident()) is trace and (tracer := call(trace, frame, "call", None)):
            tracers[frame] = tracer
            codes.add(code)
            monitoring.set_local_events(tool, code, events.LINE | events.PY_RETURN)

    def reporter(event: str) -> Callable:
        def report(*arguments):
            frame = sys._getframe(1)
            tracer = tracers.pop(frame, None) if event == "return" else tracers.get(frame)
            if tracer:
                call(tracer, frame, event, arguments[-1])

        return report

    def stop():
        if not callbacks:  # was called before
            return
        REPORTED_TO[thread] = before
        monitoring.set_events(tool, 0)
        for code in codes:
            monitoring.set_local_events(tool, code, 0)
        while callbacks:
            monitoring.register_callback(tool, callbacks.popitem()[0], None)
        monitoring.free_tool_id(tool)

    callbacks = {
        events.PY_START: enter,
        events.LINE: reporter("line"),
        events.RAISE: reporter("exception"),
    }
    callbacks |= {events.PY_RETURN: reporter("return"), events.PY_UNWIND: reporter("return")}
    before, REPORTED_TO[thread] = REPORTED_TO.get(thread), trace
    monitoring.use_tool_id(tool, "npformer")
    for event, callback in callbacks.items():
        monitoring.register_callback(tool, event, callback)
    monitoring.set_events(tool, events.PY_START | events.RAISE | events.PY_UNWIND)
    return stop
