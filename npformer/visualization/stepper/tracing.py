"""The calls, lines and returns of a thread, reported as by `sys.settrace`."""

import sys
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from ...utils import InputError

monitoring: Any = getattr(sys, "monitoring", None)  # from Python 3.12 on

# by thread: what gets the calls; a recording started later takes over
REPORTED_TO: dict[int, Callable | None] = {}


def start_tracing(trace: Callable) -> Callable[[], None]:
    """Report what happens in this thread to a function, and return what ends it.

    From Python 3.12 on `sys.monitoring` reports, so that a debugger or a measurement of coverage is
    not disturbed. Raises `InputError` when all of its tools are in use.

    Arguments:
        trace: A function of frame, event and argument, as `sys.settrace` takes it.
    """
    if sys.version_info >= (3, 12):
        return _Monitor(trace).stop
    before = sys.gettrace()
    sys.settrace(trace)
    return lambda: sys.settrace(before)


class _Monitor:
    """A tool of `sys.monitoring` that reports to a function."""

    def __init__(self, trace: Callable):
        self.trace = trace
        self.thread = get_ident()
        self.tracers: dict[FrameType, Callable] = {}
        self.codes: set[CodeType] = set()
        self.is_stopped = False
        self.tool = self._free_tool()

        events = monitoring.events
        self.callbacks = {
            events.PY_START: self._enter,
            events.LINE: self._line,
            events.PY_RETURN: self._return,
            events.PY_UNWIND: self._return,
        }
        self.before = REPORTED_TO.get(self.thread)
        REPORTED_TO[self.thread] = trace
        monitoring.use_tool_id(self.tool, "npformer")
        for event, callback in self.callbacks.items():
            monitoring.register_callback(self.tool, event, callback)
        # events of lines would slow down all code: they are set for the recorded functions alone
        in_all_code = events.PY_START | events.PY_UNWIND
        monitoring.set_events(self.tool, in_all_code)

    def stop(self) -> None:
        """End the reports."""
        if self.is_stopped:
            return
        self.is_stopped = True
        REPORTED_TO[self.thread] = self.before
        monitoring.set_events(self.tool, 0)
        for code in self.codes:
            monitoring.set_local_events(self.tool, code, 0)
        for event in self.callbacks:
            monitoring.register_callback(self.tool, event, None)
        monitoring.free_tool_id(self.tool)

    def _free_tool(self) -> int:
        """Return the number of a tool that is not in use."""
        # sys.monitoring has six, some of them with a customary use
        for number in range(6):
            if monitoring.get_tool(number) is None:
                return number
        raise InputError(
            "all six tools of sys.monitoring are in use: end a debugger or profiler first"
        )

    def _enter(self, code: CodeType, _: int) -> None:
        frame = sys._getframe(1)
        if REPORTED_TO.get(get_ident()) is not self.trace:
            return
        # all threads share the events of a tool: calls of the others end above
        tracer = self._call(self.trace, frame, "call", None)
        if tracer:
            self.tracers[frame] = tracer
            self.codes.add(code)
            events = monitoring.events
            monitoring.set_local_events(self.tool, code, events.LINE | events.PY_RETURN)

    def _line(self, *arguments: Any) -> None:
        frame = sys._getframe(1)
        self._report(self.tracers.get(frame), frame, "line", arguments[-1])

    def _return(self, *arguments: Any) -> None:
        frame = sys._getframe(1)
        self._report(self.tracers.pop(frame, None), frame, "return", arguments[-1])

    def _report(self, tracer: Callable | None, frame: FrameType, event: str, value: Any) -> None:
        if tracer:
            self._call(tracer, frame, event, value)

    def _call(self, function: Callable, *arguments: Any) -> Any:
        """Call a function; an error in it ends the reports, as it does with `sys.settrace`."""
        try:
            return function(*arguments)
        except BaseException:
            self.stop()  # otherwise every later call would raise too
            raise
