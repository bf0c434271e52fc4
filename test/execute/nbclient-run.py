"""Executes notebooks with nbclient, one after another: argv is pairs of input and output paths."""

import sys

import nbformat
from nbclient import NotebookClient


def execute(source, target):
    notebook = nbformat.read(source, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        # Without one it waits for ever where it loses a reply, as it does now and then with an Output widget.
        timeout=10,
        allow_errors=True,
        coalesce_streams=True,
        store_widget_state=True,
        record_timing=False,
        resources={"metadata": {"path": source.rsplit("/", 1)[0]}},
    )
    client.execute()
    with open(target, "w", encoding="utf-8") as file:
        nbformat.write(notebook, file)


for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
    execute(source, target)
