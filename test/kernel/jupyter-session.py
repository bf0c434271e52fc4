"""Signs a message with jupyter_client's Session and prints its frames, or checks the frames that it is given.

Usage: jupyter-session.py <key> sign <JSON content> | check <JSON list of base64 frames>
"""
import base64
import json
import sys

from jupyter_client.session import Session

key, action, text = sys.argv[1:]
session = Session(key=key.encode())
if action == "sign":
    message = session.msg("status", json.loads(text), parent=session.msg("execute_request"))
    frames = session.serialize(message, ident=[b"one", b"two"]) + [b"raw buffer"]
    print(json.dumps([base64.b64encode(frame).decode() for frame in frames]))
else:
    identities, frames = session.feed_identities([base64.b64decode(frame) for frame in json.loads(text)])
    message = session.deserialize(frames)
    print(json.dumps([message["msg_type"], message["content"], [bytes(one).decode() for one in message["buffers"]]]))
