#!/usr/bin/env python3
"""Kernels in Python for `xformer-bench --kernel mine.py --fn NAME`: a function called NAME of NumPy arrays, or, where the
file imports torch, of PyTorch tensors. docs/your_kernel.md

    def softmax_forward(s, p):          # by name: arguments, sizes and numbers, those that it asks for and no others
        e = np.exp(s - s.max(1, keepdims=True))
        p[:] = e / e.sum(1, keepdims=True)      # outputs are written in place

Lines on the standard input ask (bench/external/kernel_process.h), lines on the standard output answer. A program of its own
calls serve({"softmax_forward": softmax_forward}) and is given as `--kernel 'python3 program.py'`.
"""
import importlib.util
import inspect
import json
import mmap
import os
import sys
import time


class Refused(Exception):
    """Why a kernel cannot do what it is asked for."""


class NumPyArrays:
    """How a kernel sees the shared memory: as NumPy arrays."""

    def __init__(self):
        import numpy
        self.numpy = numpy
        self.types = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32}

    def about(self):
        return f"NumPy {self.numpy.__version__}"

    def untimed(self):
        return None

    def array(self, memory, tensor):
        if tensor["dtype"] not in self.types:
            raise Refused(f"NumPy has no {tensor['dtype']}; import torch in the kernel's file")
        count = 1
        for size in tensor["shape"]:
            count *= size
        array = self.numpy.frombuffer(memory, self.types[tensor["dtype"]], count, tensor["at"])
        return array.reshape(tensor["shape"])


class TorchTensors:
    """As PyTorch tensors on the CPU."""

    def __init__(self):
        import torch
        self.torch = torch
        self.types = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "i32": torch.int32}
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))

    def about(self):
        triton = sys.modules.get("triton")
        return f"PyTorch {self.torch.__version__}" + (f", Triton {triton.__version__}" if triton else "")

    def untimed(self):
        interprets = os.environ.get("TRITON_INTERPRET") == "1"
        return "Triton's interpreter is not what runs on a GPU" if interprets else None

    def array(self, memory, tensor):
        count = 1
        for size in tensor["shape"]:
            count *= size
        flat = self.torch.frombuffer(memory, dtype=self.types[tensor["dtype"]], count=count, offset=tensor["at"])
        return flat.reshape(tensor["shape"])


class Calls:
    """The calls of one case: for each what the kernel is given by name."""

    def __init__(self, kernels, request):
        name = request["fn"]
        if name not in kernels:
            raise Refused(f"it has no function {name}; it has: {', '.join(sorted(kernels)) or 'none'}")
        self.kernel = kernels[name]
        self.arrays = TorchTensors() if "torch" in sys.modules else NumPyArrays()
        with open(request["memory"], "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), request["bytes"])
        self.arguments = [request["sizes"] | {t["name"]: self.arrays.array(self.memory, t) for t in tensors}
                          for tensors in request["calls"]]
        self.wanted = self.names(name)

    def names(self, name):
        """What the kernel asks for; None: everything there is."""
        parameters = inspect.signature(self.kernel).parameters.values()
        if any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters):
            return None
        return [parameter.name for parameter in parameters if parameter.default is parameter.empty]

    def given(self, i, numbers):
        everything = self.arguments[i] | numbers
        if self.wanted is None:
            return everything
        for name in self.wanted:
            if name not in everything:
                raise Refused(f"it asks for {name}; there are: {', '.join(everything)}")
        return {name: everything[name] for name in self.wanted}

    def run(self, request):
        """Seconds of all but the first."""
        given = [self.given(i, numbers) for i, numbers in zip(request["calls"], request["numbers"])]
        self.kernel(**given[0])
        start = time.perf_counter()
        for arguments in given[1:]:
            self.kernel(**arguments)
        return time.perf_counter() - start


def answers(kernels, lines):
    calls = None
    for line in lines:
        word, _, rest = line.partition(" ")
        try:
            if word == "open":
                calls = None  # its memory first
                calls = Calls(kernels, json.loads(rest))
                untimed = calls.arrays.untimed()
                yield {"ready": calls.arrays.about()} | ({"untimed": untimed} if untimed else {})
            else:
                yield {"seconds": calls.run(json.loads(rest))}
        except Exception as error:  # whatever a kernel does wrong is its caller's to know
            text = (str(error).strip().splitlines() or [""])[0]
            yield {"refused": text if isinstance(error, Refused) else f"{type(error).__name__}: {text}"}


def take_over_output():
    """The standard output for answers alone: what is printed from here on goes to the standard error."""
    own = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return own


def serve(kernels, own=None):
    """Answers with these functions, by name, until nobody asks any more."""
    own = own or take_over_output()
    for answer in answers(kernels, sys.stdin):
        print(json.dumps(answer), file=own, flush=True)


def functions_of(path):
    """The functions of a file of Python, by name."""
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: value for name, value in vars(module).items() if callable(value) and not name.startswith("_")}


if __name__ == "__main__":
    output = take_over_output()
    serve(functions_of(sys.argv[1]), output)
