"""Handlers that the user gives to `signal.signal`: they may raise, so they are called in the user's code and between cells,
never in the middle of the kernel's. One that comes there is sent again by the io thread, as an interrupt is."""

import _signal
import sys

from .tracebacks import describe_error


def adapt_signal(interrupts, module):
    """Called with the module signal once it is imported: its functions put a guard around handlers, and take it off again."""
    set_handler, get_handler = module.signal, module.getsignal

    def signal(signalnum, handler):
        return _unguard(set_handler(signalnum, _guard(interrupts, handler)))

    def getsignal(signalnum):
        return _unguard(get_handler(signalnum))

    signal.__doc__, getsignal.__doc__ = set_handler.__doc__, get_handler.__doc__
    module.signal, module.getsignal = signal, getsignal


class GuardedHandler:
    """One handler of the user's."""

    __slots__ = ("handler", "_interrupts")

    def __init__(self, handler, interrupts):
        self.handler = handler
        self._interrupts = interrupts

    def __call__(self, number, frame):
        interrupts = self._interrupts
        if number == _signal.SIGINT:
            interrupts.note_handled()
        if interrupts.may_raise(frame):
            self.handler(number, frame)
        elif interrupts.idle:
            self._call_between_cells(number, frame)
        else:
            interrupts.put_off_signal(number, self)

    def _call_between_cells(self, number, frame):
        """What it raises ends no cell, and the kernel only where it is SystemExit."""
        try:
            self.handler(number, frame)
        except SystemExit:
            raise
        except BaseException as error:
            if not isinstance(error, KeyboardInterrupt):
                sys.stderr.write("\n".join(describe_error(error)["traceback"]) + "\n")


def _guard(interrupts, handler):
    return handler if not callable(handler) or handler == interrupts.handle else GuardedHandler(handler, interrupts)


def _unguard(handler):
    return handler.handler if isinstance(handler, GuardedHandler) else handler
