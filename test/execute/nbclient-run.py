"""Executes notebooks with nbclient, two at a time: argv is pairs of input and output paths."""

import asyncio
import sys

import nbformat
from nbclient import NotebookClient


async def execute(source, target, turn):
    async with turn:
        notebook = nbformat.read(source, as_version=4)
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            allow_errors=True,
            coalesce_streams=True,
            store_widget_state=True,
            record_timing=False,
            resources={"metadata": {"path": source.rsplit("/", 1)[0]}},
        )
        await client.async_execute()
        with open(target, "w", encoding="utf-8") as file:
            nbformat.write(notebook, file)


async def main(paths):
    turn = asyncio.Semaphore(2)
    await asyncio.gather(*(execute(source, target, turn) for source, target in zip(paths[::2], paths[1::2])))


asyncio.run(main(sys.argv[1:]))
