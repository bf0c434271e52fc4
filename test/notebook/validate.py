"""Reads pairs of paths (before, after), one pair a line; prints those whose notebook was valid before and is not after."""

import json
import sys
import warnings

import nbformat

warnings.simplefilter("ignore")


def is_valid(path):
    try:
        with open(path, encoding="utf-8-sig") as file:
            notebook = json.load(file)
        nbformat.validate(notebook, version=notebook["nbformat"], version_minor=notebook["nbformat_minor"])
        return True
    except Exception:
        return False


broken = []
valid = {}
for line in sys.stdin:
    before, after = line.rstrip("\n").split("\t")
    if before not in valid:
        valid[before] = is_valid(before)
    if valid[before] and not is_valid(after):
        broken.append(after)
print(json.dumps({"valid": sum(valid.values()), "broken": broken}))
