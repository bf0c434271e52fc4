"""Exceptions that Python can only report, such as those in finalizers. An interrupt among them is not over: it was meant for
the cell."""

import sys


def keep_interrupts(interrupts):
    """Sets sys.unraisablehook."""

    def report(unraisable):
        try:
            if not issubclass(unraisable.exc_type, KeyboardInterrupt):
                sys.__unraisablehook__(unraisable)
                return
        except KeyboardInterrupt:
            pass
        interrupts.hold_again()

    sys.unraisablehook = report
