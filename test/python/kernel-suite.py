"""Jupyter's own test suite for kernels, over the kernelspec `nuthatch` of JUPYTER_PATH."""

import unittest

import jupyter_kernel_test as suite


class BundledKernelTests(suite.KernelTests):
    kernel_name = "nuthatch"
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('oops', file=sys.stderr)"
    completion_samples = [
        {"text": "zi", "matches": {"zip"}},
        {"text": "x = str.joi", "matches": {"join"}},
    ]
    complete_code_samples = ["1", "print('hello')", "def f():\n    return 1\n", "%time 1"]
    incomplete_code_samples = ["def f():", "f(1,", "'''open"]
    invalid_code_samples = ["import = 7q", "1 +* 2"]
    code_page_something = "zip?"
    code_generate_error = "raise ValueError('x')"
    code_execute_result = [
        {"code": "1 + 2 + 3", "result": "6"},
        {"code": "[n * n for n in range(1, 4)]", "result": "[1, 4, 9]"},
        {"code": "'plain'", "result": "'plain'"},
    ]
    code_display_data = [
        {"code": "from IPython.display import HTML, display\ndisplay(HTML('<b>test</b>'))", "mime": "text/html"},
        {"code": "from IPython.display import Math, display\ndisplay(Math('\\\\frac{1}{2}'))", "mime": "text/latex"},
    ]
    code_history_pattern = "*n for n*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output\nclear_output()"


class BundledKernelWelcome(suite.IopubWelcomeTests):
    kernel_name = "nuthatch"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
