"""Prints the median time of executing `1` in a live kernel through jupyter_client, in milliseconds."""

import sys
import time

from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name=sys.argv[1])
times = []
for _ in range(350):
    start = time.perf_counter()
    client.execute_interactive("1", output_hook=lambda message: None)
    times.append((time.perf_counter() - start) * 1000)
print(sorted(times[50:])[150])
client.stop_channels()
manager.shutdown_kernel(now=True)
