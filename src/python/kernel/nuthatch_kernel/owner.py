"""The kernel never outlives the process that started it, also where that one was killed (`JPY_PARENT_PID` names it)."""

import _signal as signal
import _thread
import os
import time

POLL_SECONDS = 1


def watch_owner(reactor):
    """Ends this process and its group as soon as the owner is gone; by a pidfd where there is one, else by looking."""
    try:
        owner = int(os.environ.get("JPY_PARENT_PID", "0"))
    except ValueError:
        return
    if owner <= 1:
        return
    try:
        reactor.watch(os.pidfd_open(owner), lambda *_: end_at_once())
    except ProcessLookupError:  # gone already, whoever has adopted this process since
        end_at_once()
    except (AttributeError, OSError):
        _thread.start_new_thread(_poll, (os.getppid(),))


def _poll(parent):
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    end_at_once()


def end_at_once():
    """SIGKILL for the group where the kernel leads one, else for itself: nobody is left to be told anything."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
