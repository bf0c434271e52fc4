"""Replaces the source of one cell through nbformat: edit-notebook.py PATH INDEX TEXT"""

import sys

import nbformat

path, index, text = sys.argv[1:]
notebook = nbformat.read(path, as_version=4)
notebook.cells[int(index)].source = text
nbformat.write(notebook, path)
