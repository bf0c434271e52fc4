"""What `get_ipython()` gives the user: the way in for magics, and the few attributes that programs look for."""

from .imports import import_kernel, import_standard

_VARIABLE = r"\$(\w+)|\$\$|\$\{|\{([^{}]+)\}"


class UserShell:
    """A thin face of the interpreter. It is no IPython shell, and does not pass for one."""

    def __init__(self, interpreter):
        self._interpreter = interpreter
        self.user_ns = interpreter.namespace
        self.config = {}

    @property
    def execution_count(self):
        return self._interpreter.execution_count

    def run_line_magic(self, name, line=""):
        """Runs `%name line` and returns its value."""
        return import_kernel("magics").run_magic(self, self._interpreter, "line", name, self._expand(line))

    def run_cell_magic(self, name, line, cell):
        """Runs `%%name line` over a cell."""
        return import_kernel("magics").run_magic(self, self._interpreter, "cell", name, self._expand(line), cell)

    def magic(self, text):
        """Runs a magic with or without its percent sign."""
        name, _, line = text.lstrip("%").partition(" ")
        return self.run_line_magic(name, line.strip())

    def system(self, command):
        """Runs a shell command, shows its output as it comes, and keeps its status in `_exit_code`."""
        status = import_kernel("processes").run_shell(self._interpreter.interrupts, self._expand(command))
        self.user_ns["_exit_code"] = status

    def getoutput(self, command, split=True):
        """Runs a shell command and returns what it printed, as a list of lines."""
        found = import_kernel("processes").read_shell(self._interpreter.interrupts, self._expand(command))
        self.user_ns["_exit_code"] = found.status
        return found if split else found.n

    def run_cell(self, source, **_options):
        """Runs code in the user's namespace."""
        return self._interpreter.run_source(source)

    def ex(self, source):
        return self._interpreter.run_source(source)

    def ev(self, source):
        return eval(source, self.user_ns)

    def push(self, names, interactive=True):
        self.user_ns.update(names)

    def show_help(self, name, detail=0):
        """`name?` and `name??`: shows help in the client's pager."""
        bundle = import_kernel("inspection").describe_name(self._interpreter, name, detail)
        if bundle is None:
            print("Object `%s` not found." % name)
        else:
            self._interpreter.payload.append({"source": "page", "data": bundle, "start": 0})

    def has_trait(self, _name):
        return False

    def _expand(self, text):
        """Puts Python values into a command: `$name` and `{expression}`; what is neither stays as it is."""
        if "$" not in text and "{" not in text:
            return text
        return import_standard("re").sub(_VARIABLE, self._value_of, text)

    def _value_of(self, found):
        whole, name, expression = found.group(0), found.group(1), found.group(2)
        if whole == "$$":
            return "$"
        if whole == "${":  # the shell's own form
            return whole
        if name is not None:
            return str(self.user_ns[name]) if name in self.user_ns else whole
        try:
            return str(eval(expression, self.user_ns))
        except Exception:
            return whole


class Exiter:
    """`exit` and `quit`: ask the client to end the session; the kernel goes on until it is told to stop."""

    def __init__(self, interpreter, name):
        self._interpreter = interpreter
        self._name = name

    def __call__(self, code=None):
        self._interpreter.payload.append({"source": "ask_exit", "keepkernel": False})

    def __repr__(self):
        return "Use %s() to end the session" % self._name

    def _ipython_display_(self):
        self()
