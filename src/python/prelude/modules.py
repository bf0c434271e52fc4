"""Modules of the user's own: files whose names come into the cells' namespace as by `from module import *`."""

import linecache
import sys
import types


def load_modules(modules, added):
    """Runs each `{path, name, text}` and adds its public names to `added`, whose names it may use. Returns what went wrong, `{source, message, line}`."""
    diagnostics = []
    for module in modules:
        try:
            added.update(_run(module, dict(added)))
        except BaseException as error:  # an exit or an interrupt of a module ends this module alone
            diagnostics.append(_describe(module["path"], error))
    return diagnostics


def _run(module, helpers):
    path, name = module["path"], "nuthatch_modules." + module["name"]
    made = types.ModuleType(name)
    made.__file__ = path
    made.__dict__.update(helpers)
    linecache.cache[path] = (len(module["text"]), None, module["text"].splitlines(True), path)
    exec(compile(module["text"], path, "exec"), made.__dict__)
    sys.modules[name] = made
    public = getattr(made, "__all__", None)
    if public is None:
        public = [key for key, value in vars(made).items() if key[:1] != "_" and value is not helpers.get(key, made)]
    return {key: getattr(made, key) for key in public}


def _describe(path, error):
    message = "%s: %s" % (type(error).__name__, error)
    if isinstance(error, SyntaxError):
        return {"source": path, "message": "%s: %s" % (type(error).__name__, error.msg), "line": error.lineno}
    line, frames = None, error.__traceback__
    while frames is not None:
        line = frames.tb_lineno if frames.tb_frame.f_code.co_filename == path else line
        frames = frames.tb_next
    return {"source": path, "message": message, **({} if line is None else {"line": line})}
