"""Waits for file descriptors: what the kernel needs of `selectors`, without its milliseconds."""

import select

READ, WRITE = 1, 4  # POLLIN and POLLOUT, and what epoll calls so


class Poller:
    """The descriptors that are watched, each with what `wait` gives back for it. One thread changes it, and waits."""

    def __init__(self):
        self._uses_epoll = hasattr(select, "epoll")
        self._poll = select.epoll() if self._uses_epoll else select.poll()
        self._data = {}

    def register(self, descriptor, events, data):
        self._poll.register(descriptor, events)
        self._data[descriptor] = data

    def modify(self, descriptor, events):
        self._poll.modify(descriptor, events)

    def unregister(self, descriptor):
        """Raises KeyError for one that is not watched; one that is closed already may be."""
        del self._data[descriptor]
        try:
            self._poll.unregister(descriptor)
        except OSError:
            pass

    def wait(self, seconds):
        """A list of `(data, events)`, when something is ready or the time is over; None waits for ever. An error or the
        other side's end is an event of either kind, whichever is watched."""
        if seconds is not None and not self._uses_epoll:
            seconds *= 1000
        found = []
        for descriptor, events in self._poll.poll(seconds):
            if descriptor in self._data:
                found.append((self._data[descriptor], (events & ~WRITE and READ) | (events & ~READ and WRITE)))
        return found

    def close(self):
        """In a forked child, for its copy."""
        if self._uses_epoll:
            self._poll.close()
