"""Runs a command as a subreaper, which becomes the parent of every process that the command leaves behind."""
import ctypes
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
    sys.exit("prctl failed")
subprocess.run(sys.argv[1:])
while True:
    time.sleep(1)
