"""The package as a guest in a process: threads, the GIL, what belongs to NumPy and torch, forks."""
import multiprocessing
import os
import re
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import xformer
from xformer import kernels


def python(text, *arguments, **environment):
    """What a process of its own prints that runs this text."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)], capture_output=True,
                          text=True, env={**os.environ, **environment}, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_other_threads_of_python_run_while_a_call_computes(run, lines):
    translator = xformer.Translator(run)
    ended = threading.Event()
    result = []
    thread = threading.Thread(target=lambda: (result.extend(translator.translate(lines)), ended.set()))
    thread.start()
    turns = 0
    while not ended.is_set():
        time.sleep(0.001)
        turns += 1
    thread.join()
    assert turns > 20 and len(result) == len(lines)


def test_calls_of_several_threads_do_not_disturb_each_other(run, lines):
    translator = xformer.Translator(run)
    expected = translator.translate(lines[:60])
    x = np.random.default_rng(1).standard_normal((100, 100))
    results = [None] * 6

    def work(i):
        part = translator.translate(lines[i * 10:i * 10 + 10])
        kernels.softmax(x)
        results[i] = part

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(results, []) == expected


IDLE = """
    import resource, sys, time
    {first}
    import numpy as np, xformer
    x = np.ones((2000, 500), np.float32)
    for _ in range(20):
        xformer.kernels.softmax(x)
        xformer.kernels.matmul(x, x, transpose_a=True)
    seconds = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    before = seconds()
    time.sleep(1)
    print(seconds() - before)
"""


def test_an_idle_second_costs_nothing():
    assert float(python(IDLE.format(first=""))) < 0.02


def test_the_environment_is_as_it_was():
    text = "import os, xformer; print(os.environ.get('OMP_WAIT_POLICY'))"
    kept = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=kept, check=True)
    assert done.stdout.strip() == "None"
    assert python(text, OMP_WAIT_POLICY="active").strip() == "active"


def test_denormals_of_the_caller_stay():
    x = np.full(4, 1e-40, np.float32)
    kernels.softmax(x)
    assert (x * np.float32(0.5) > 0).all(), "NumPy still has denormals"


def in_a_fork(queue, translator, lines):
    queue.put((translator.translate(lines), kernels.softmax(np.zeros(4)).tolist()))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_computes_too(run, lines):
    translator = xformer.Translator(run)
    expected = translator.translate(lines[:5])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=in_a_fork, args=(queue, translator, lines[:5]))
    process.start()
    assert queue.get(timeout=60) == (expected, [0.25] * 4)
    process.join(60)
    assert process.exitcode == 0


def test_a_process_ends_while_a_model_and_a_thread_live(run):
    assert python("""
        import sys, threading, xformer
        translator = xformer.Translator(sys.argv[1])
        translator.translate(["a"])
        threading.Thread(target=lambda: translator.translate(["a house"] * 300), daemon=True).start()
        print("end")
    """, run) == "end\n"


def test_nothing_of_the_current_folder_is_loaded(tmp_path):
    """Of a script: with -c and -m Python itself takes modules from there."""
    script, folder = tmp_path / "script.py", tmp_path / "planted"
    script.write_text("import xformer; print(xformer.__version__)")
    folder.mkdir()
    for name in ("xformer", "_xformer", "numpy", "sitecustomize"):
        (folder / f"{name}.py").write_text("print('planted')")
    for name in ("_xformer.so", "libdnnl.so.3", "libgomp.so.1", "libsentencepiece.so.0", "libzstd.so.1"):
        (folder / name).write_bytes(b"no library")
    done = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "LD_DEBUG": "libs", "CUDA_HOME": "."})
    assert done.stdout == f"{xformer.__version__}\n"
    assert "trying file=/" in done.stderr and not re.findall(r"trying file=(?!/).*", done.stderr)


@pytest.mark.parametrize("first", [True, False], ids=["torch first", "xformer first"])
def test_beside_torch(first):
    pytest.importorskip("torch")
    text = """
        import resource, sys, time
        if FIRST: import torch
        import numpy as np, xformer
        import torch
        rng = np.random.default_rng(1)
        a = rng.standard_normal((300, 300)).astype(np.float32)
        at = torch.from_numpy(a)
        threads, product = torch.get_num_threads(), (at @ at).clone()
        seconds = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        for _ in range(30):
            ours = xformer.kernels.matmul(at, a)
            assert torch.equal(at @ at, product)
            xformer.set_threads(1 + _ % 2)
        before = seconds()
        time.sleep(1)
        idle = seconds() - before
        assert np.allclose(ours, product.numpy(), atol=1e-3)
        assert torch.get_num_threads() == threads
        x, g = torch.randn(4, 6, dtype=torch.float64), torch.ones(6, dtype=torch.float64)
        y = xformer.kernels.layer_norm(x, g, 0 * g, eps=1e-5)[0]
        assert np.allclose(y, torch.nn.functional.layer_norm(x, [6]).numpy())
        b = x.to(torch.bfloat16)
        half = torch.from_dlpack(xformer.kernels.softmax(b))
        assert half.dtype == torch.bfloat16 and torch.allclose(half.float(), b.float().softmax(-1), atol=1e-2)
        try: xformer.kernels.softmax(torch.empty(3, device="meta"))
        except xformer.Error as error: assert "in the CPU's memory" in str(error)
        else: raise AssertionError
        print(idle)
    """.replace("FIRST", str(first))
    assert float(python(text)) < 0.05
