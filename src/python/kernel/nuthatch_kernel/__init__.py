"""A complete Jupyter kernel for Python, made of the standard library alone.

Two threads. The main thread runs the requests of the shell channel one after another, and the user's code in them. The
io thread (reactor.py) owns every socket: it reads requests, answers the control channel and the heartbeat, and sends what
the outbox holds. The user's code is on the stack of the main thread only, so SIGINT can end it there (interrupts.py).
"""

__version__ = "0.1.0"
