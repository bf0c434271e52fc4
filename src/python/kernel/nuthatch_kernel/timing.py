"""%time and %timeit: how long code takes."""

import gc
import itertools
import math
import resource
import time
import timeit as library

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def time_line(interpreter, line):
    """%time statement: its value is the magic's value."""
    return _timed(interpreter, line)


def time_cell(interpreter, _line, cell):
    """%%time: the cell's last expression is its result."""
    return _timed(interpreter, cell)


def _timed(interpreter, source):
    started, wall = _used(), time.perf_counter()
    try:
        return interpreter.run_source(source)
    finally:
        wall = time.perf_counter() - wall
        user, system = (now - before for now, before in zip(_used(), started))
        print("CPU times: user %s, sys: %s, total: %s" % tuple(map(show_time, (user, system, user + system))))
        print("Wall time: %s" % show_time(wall))


def _used():
    """Seconds of processor time in the user's code and in the system's."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_stime


def timeit_line(interpreter, line):
    """%timeit [-n loops] [-r runs] [-q] [-o] statement."""
    options, statement = _split_options(line)
    return _measure(interpreter, statement, "pass", options)


def timeit_cell(interpreter, line, cell):
    """%%timeit [options] [setup]: measures the cell."""
    options, setup = _split_options(line)
    return _measure(interpreter, cell, setup or "pass", options)


def _split_options(line):
    options, words = {"-n": 0, "-r": 7, "-q": False, "-o": False}, line
    while words[:2] in ("-n", "-r", "-q", "-o", "-t", "-c", "-p"):
        option, words = words[:2], words[2:].lstrip()
        if option in ("-n", "-r", "-p"):
            number, _, words = words.partition(" ")
            options[option] = int(number)
        else:
            options[option] = True
        words = words.lstrip()
    return options, words


def _measure(interpreter, statement, setup, options):
    timer = library.Timer(statement, setup, globals=interpreter.namespace)
    loops = options["-n"] or _find_loops(timer)
    runs = [one / loops for one in timer.repeat(options["-r"], loops)]
    gc.collect()
    result = TimeitResult(loops, runs)
    if not options["-q"]:
        print(result)
    return result if options["-o"] else None


def _find_loops(timer):
    for loops in (10**power for power in itertools.count()):
        if timer.timeit(loops) >= 0.2 or loops >= 10**9:
            return loops


class TimeitResult:
    """What %timeit measured; `all_runs` holds the seconds of one loop for each run."""

    def __init__(self, loops, all_runs):
        self.loops, self.repeat, self.all_runs = loops, len(all_runs), all_runs
        self.best, self.worst = min(all_runs), max(all_runs)

    @property
    def average(self):
        return math.fsum(self.all_runs) / self.repeat

    @property
    def stdev(self):
        average = self.average
        return math.sqrt(math.fsum((one - average) ** 2 for one in self.all_runs) / self.repeat)

    def __repr__(self):
        return "%s ± %s per loop (mean ± std. dev. of %d run%s, %s loop%s each)" % (
            show_time(self.average),
            show_time(self.stdev),
            self.repeat,
            "" if self.repeat == 1 else "s",
            "{:,}".format(self.loops),
            "" if self.loops == 1 else "s",
        )


def show_time(seconds):
    """Three digits and a unit."""
    if seconds >= 60:
        return "%dmin %ds" % divmod(seconds, 60)
    for size, unit in UNITS:
        if seconds >= size:
            return "%.3g %s" % (seconds / size, unit)
    return "%.3g ns" % (seconds * 1e9) if seconds else "0 ns"
