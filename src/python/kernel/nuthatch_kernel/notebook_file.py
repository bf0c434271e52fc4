"""%run of a notebook: its code cells in the user's namespace."""

import json


def run_notebook(interpreter, path):
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            source = cell["source"]
            interpreter.run_source(source if isinstance(source, str) else "".join(source), show_result=True)
