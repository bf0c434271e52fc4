"""rm, mv, cp, stat: files and folders as a whole."""

import os
import shutil
import stat as modes
import time

from .calls import Record, helper, note, say
from .excerpts import counted
from .places import Place, to_path

KINDS = (
    (modes.S_ISLNK, "symlink"),
    (modes.S_ISDIR, "folder"),
    (modes.S_ISREG, "file"),
    (modes.S_ISFIFO, "fifo"),
    (modes.S_ISSOCK, "socket"),
)


@helper
def rm(path, recursive=False, missing_ok=False):
    """Removes a file, an empty folder, or with `recursive=True` a folder and all in it. Returns its path."""
    place = to_path(path)
    note(path=str(path))
    if not os.path.lexists(str(place)):
        if not missing_ok:
            raise FileNotFoundError("there is no %s to remove; missing_ok=True lets that pass" % path)
        say("%s was not there" % path)
    else:
        _remove(place, path, recursive)
        say("removed %s" % path)
    return Place(place)


@helper
def mv(source, target):
    """Moves or renames a file or folder; into `target` where that is a folder. Returns the new path."""
    place, goal = to_path(source), _find_goal(source, target)
    note(path=str(source), target=str(goal))
    shutil.move(str(place), str(goal))
    say("moved %s to %s" % (source, goal))
    return Place(goal)


@helper
def cp(source, target):
    """Copies a file, or a folder with all in it; into `target` where that is a folder. Returns the path of the copy."""
    place, goal = to_path(source), _find_goal(source, target)
    note(path=str(source), target=str(goal))
    if place.is_dir():
        if os.path.realpath(str(goal)).startswith(os.path.join(os.path.realpath(str(place)), "")):
            raise ValueError("cannot copy the folder %s into itself (%s)" % (source, goal))
        shutil.copytree(str(place), str(goal), symlinks=True)
    else:
        shutil.copy2(str(place), str(goal))
    say("copied %s to %s" % (source, goal))
    return Place(goal)


@helper
def stat(path):
    """Returns what the system knows of a file: `.type .size .mode .modified`, and `.target` of a symbolic link. Prints it."""
    place = to_path(path)
    note(path=str(path))
    found = os.lstat(str(place))
    kind = next((name for matches, name in KINDS if matches(found.st_mode)), "device")
    modified = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(found.st_mtime))
    mode = modes.filemode(found.st_mode)
    record = Record(path=str(path), type=kind, size=found.st_size, mode=mode, modified=modified)
    if kind == "symlink":
        record["target"] = os.readlink(str(place))
    note(type=kind, size=found.st_size)
    arrow = " -> " + record["target"] if "target" in record else ""
    size = counted(found.st_size, "byte")
    say("%s%s: %s, %s, %s, modified %s" % (path, arrow, kind, size, mode, modified))
    return record


def _remove(place, path, recursive):
    if not place.is_dir() or place.is_symlink():
        place.unlink()
    elif recursive:
        shutil.rmtree(str(place))
    else:
        try:
            place.rmdir()
        except OSError:
            if not any(place.iterdir()):
                raise
            raise IsADirectoryError("%s is a folder with files in it; recursive=True removes them" % path) from None


def _find_goal(source, target):
    """Where a moved or copied file comes to lie; the folder for it is made."""
    place, goal = to_path(source), to_path(target)
    if not os.path.lexists(str(place)):
        raise FileNotFoundError("there is no %s" % source)
    if goal.is_dir() or str(target).endswith(("/", os.sep)):
        goal = goal / os.path.basename(os.path.abspath(str(place)))
    if goal.is_dir():
        raise FileExistsError("the folder %s is there already" % goal)
    goal.parent.mkdir(parents=True, exist_ok=True)
    return goal
