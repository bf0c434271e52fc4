"""Does one kind of work with an ipykernel through jupyter_client and prints what it took.

Usage: jupyter-client.py start | round-trip | print | display. Milliseconds, for print MB/s of what arrived.
"""

import sys
import time

from jupyter_client.manager import start_new_kernel

PRINT = "for _ in range(100000): print('x' * 999)"
DISPLAY = "from IPython.display import display\ndisplay({'text/plain': 'x' * 20_000_000}, raw=True)"


def timed(work):
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def measure(client):
    if sys.argv[1] == "round-trip":
        times = [timed(lambda: client.execute_interactive("1", output_hook=lambda message: None)) for _ in range(550)]
        return sorted(times[50:])[250]
    if sys.argv[1] == "display":
        return timed(lambda: client.execute_interactive(DISPLAY, output_hook=lambda message: None, timeout=120))
    arrived = []
    took = timed(
        lambda: client.execute_interactive(
            PRINT, output_hook=lambda message: arrived.append(len(message["content"].get("text", ""))), timeout=120
        )
    )
    return sum(arrived) / 1000 / took


began = time.perf_counter()
manager, client = start_new_kernel(kernel_name="python3")
started = (time.perf_counter() - began) * 1000
print(started if sys.argv[1] == "start" else measure(client))
client.stop_channels()
manager.shutdown_kernel(now=True)
