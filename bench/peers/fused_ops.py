"""Kernels of libraries that people put in PyTorch's place on a GPU, as functions of torch_ops.py's arguments.

Liger (https://github.com/linkedin/Liger-Kernel, Triton) and quack (https://github.com/Dao-AILab/quack, CuTe, Hopper and later), each
only where it is installed: pip install liger-kernel quack-kernels. FlashAttention and cuDNN's attention are backends of PyTorch's own.

    python3 fused_ops.py      compares Liger's with PyTorch's by Triton's interpreter, without a GPU
"""
import importlib.metadata
import importlib.util


def liger():
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    from liger_kernel.ops.softmax import LigerSoftmaxFunction
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction

    return {
        "layer_norm": lambda x, gamma, beta: LigerLayerNormFunction.apply(x, gamma, beta, 1e-5),
        "rms_norm": lambda x, gamma: LigerRMSNormFunction.apply(x, gamma, 1e-5, 0.0, "llama", False),
        "softmax": LigerSoftmaxFunction.apply,
        "gated_activation swish": LigerSiLUMulFunction.apply,
    }


def quack():
    from quack import rmsnorm
    softmax = importlib.import_module("quack.softmax").softmax  # the package has a function of the module's name

    return {"rms_norm": lambda x, gamma: rmsnorm(x, gamma, eps=1e-5), "softmax": softmax}


LIBRARIES = (("liger_kernel", "liger-kernel", liger), ("quack", "quack-kernels", quack))  # module, package, functions


def libraries_with(op):
    """Name with version, and function, of each installed library that has this op ("rms_norm", "gated_activation swish")."""
    for module, package, functions in LIBRARIES:
        function = functions().get(op) if importlib.util.find_spec(module) else None
        if function:
            yield f"{package} {importlib.metadata.version(package)}", function


def compare_with_torch():
    import torch
    import torch_ops

    right = 0
    for fn, dims, variant in (("layer_norm", (5, 100), ""), ("rms_norm", (5, 100), ""), ("softmax", (7, 33), ""),
                              ("gated_activation", (5, 40), "swish")):
        function, arguments = torch_ops.FORWARD[fn + "_forward"](dims, variant, lambda *shape: torch.rand(*shape) * 2 - 1)
        arguments = [a.requires_grad_() for a in arguments]
        expected = function(*arguments)
        dy = torch.rand_like(expected)
        for name, other in libraries_with(f"{fn} {variant}".strip()):
            try:
                got = other(*arguments)
                gradients = torch.autograd.grad(got, arguments, dy)
            except Exception as error:  # what the interpreter does not know
                print(f"{name} {fn}: not compared: {torch_ops.first_line(error)}")
                continue
            pairs = [(got, expected), *zip(gradients, torch.autograd.grad(expected, arguments, dy, retain_graph=True))]
            worst = max(((g - e).abs().max() / e.abs().max()).item() for g, e in pairs)
            print(f"{name} {fn}: off by {worst:.1e}")
            if worst > 1e-5:
                return 1
            right += 1
    return 0 if right else 1


if __name__ == "__main__":
    import os
    import sys

    os.environ["TRITON_INTERPRET"] = "1"
    sys.exit(compare_with_torch())
