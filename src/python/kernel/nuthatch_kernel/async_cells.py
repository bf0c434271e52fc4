"""Cells that await. One event loop for all of them, made when the first one needs it; it runs while a cell awaits, and
between cells as long as tasks are left."""

from .imports import import_standard


class AsyncCells:
    """Owns the loop; everything runs in the main thread."""

    def __init__(self, interrupts):
        self._interrupts = interrupts
        self._asyncio = import_standard("asyncio")
        self._loop = None
        self._cancelled = False

    def run(self, coroutine):
        """Runs a cell's coroutine to its end. An interrupt that meets no user code cancels it."""
        loop = self._get_loop()
        task = loop.create_task(coroutine)
        self._cancelled = False
        try:
            return self._drive(loop, task)
        except self._asyncio.CancelledError as error:
            if self._cancelled:
                raise KeyboardInterrupt().with_traceback(error.__traceback__) from None
            raise
        except BaseException:
            self._finish(loop, task)
            raise

    def run_inside(self, function):
        """Runs plain code with the loop running, for code that makes tasks without awaiting."""

        async def inside():
            return function()

        return self.run(inside())

    def has_tasks(self):
        loop = self._loop
        return loop is not None and not loop.is_closed() and bool(self._asyncio.all_tasks(loop))

    def run_until(self, is_due, on_change):
        """Lets tasks that outlived their cell go on until `is_due`; `on_change` is given what to call when it may be."""
        loop = self._loop
        changed = self._asyncio.Event()
        on_change(lambda: loop.call_soon_threadsafe(changed.set))

        async def wait():
            while not is_due():
                changed.clear()
                await changed.wait()

        if not is_due():
            self.run(wait())

    def _drive(self, loop, task):
        def cancel():
            self._cancelled = True
            loop.call_soon_threadsafe(task.cancel)

        self._interrupts.cancel_waiting(AsyncCells._drive.__code__, cancel)
        try:
            return loop.run_until_complete(task)
        finally:
            self._interrupts.cancel_waiting(None, None)

    def _finish(self, loop, task):
        """An interrupt in another task has stopped the loop: the cell's own ends too."""
        if not task.done():
            task.cancel()
            try:
                self._drive(loop, task)
            except BaseException:
                pass

    def _get_loop(self):
        if self._loop is None or self._loop.is_closed():
            self._loop = self._asyncio.new_event_loop()
            self._asyncio.set_event_loop(self._loop)
        return self._loop
