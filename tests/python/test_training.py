"""Training and exporting: as the programs, and stopped by Ctrl-C."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import xformer
from conftest import program

ENDLESS = "100000u"


def bytes_of(folder):
    return (pathlib.Path(folder) / "model.safetensors").read_bytes()


def test_a_training_is_that_of_the_program_to_the_bit(training, brief, tmp_path):
    words = []
    for name, value in training.items():
        words.append("--" + name.replace("_", "-"))
        words += [str(v) for v in value] if isinstance(value, list) else [] if value is True else [str(value)]
    program("xformer-train", *words, "--after", "60u", "-m", tmp_path / "run")
    assert bytes_of(tmp_path / "run/averaged") == bytes_of(brief / "averaged")


def test_a_configuration_is_a_file_a_dictionary_or_keywords(training, brief, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text((brief / "training.toml").read_text())
    xformer.train(config, model=tmp_path / "by-file")
    xformer.train({**{name.replace("_", "-"): value for name, value in training.items()}, "after": "60u"},
                  model=tmp_path / "by-dictionary")
    assert bytes_of(tmp_path / "by-file/averaged") == bytes_of(tmp_path / "by-dictionary/averaged") == bytes_of(brief / "averaged")


def test_errors_of_training_name_what_is_wrong(training, tmp_path):
    with pytest.raises(xformer.Error, match="needs --model"):
        xformer.train(training)
    with pytest.raises(xformer.Error, match="nowhere.en") as error:
        xformer.train({**training, "train_sets": [tmp_path / "nowhere.en", tmp_path / "nowhere.de"]}, model=tmp_path / "run")
    assert error.value.kind == "data" and not (tmp_path / "run").exists()
    with pytest.raises(xformer.Error, match="--print-model is for the program"):
        xformer.train(training, print_model=True, model=tmp_path / "run")


def python(text, *arguments):
    """A process of its own that runs this text, and takes SIGINT as one at a terminal does; in the background a shell has it ignored."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def wait_for(path, process):
    for _ in range(600):
        if path.exists():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError(f"{path} does not come")


def test_ctrl_c_saves_raises_keyboard_interrupt_and_the_same_call_goes_on_to_the_same_bits(training, tmp_path):
    text = """
        import json, os, sys, xformer
        options = json.loads(sys.argv[1])
        try:
            xformer.train(options)
        except KeyboardInterrupt:
            print(os.path.islink(options["model"] + "/latest"), os.path.exists(options["model"] + "/averaged"))
        xformer.train(options)
    """
    options = {name: [str(v) for v in value] if isinstance(value, list) else value for name, value in training.items()}
    options |= {"model": str(tmp_path / "run"), "after": "250u"}
    process = python(text, json.dumps(options))
    wait_for(tmp_path / "run/train.log", process)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    saved, ended = out.split()
    assert (saved, ended) == ("True", "False")
    xformer.train(training, after="250u", model=tmp_path / "undisturbed")
    assert bytes_of(tmp_path / "run/averaged") == bytes_of(tmp_path / "undisturbed/averaged")


def test_ctrl_c_ends_a_translation(run, lines):
    text = """
        import signal, sys, xformer
        translator = xformer.Translator(sys.argv[1], mini_batch=4, max_length_factor=50)
        handler = signal.getsignal(signal.SIGINT)
        print("ready", flush=True)
        try:
            translator.translate([sys.argv[2]] * 200000)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        assert signal.getsignal(signal.SIGINT) is handler is signal.default_int_handler
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
        print(translator.translate([sys.argv[2]])[0] != "")
    """
    process = python(text, run, lines[0])
    assert process.stdout.readline() == "ready\n"
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out.splitlines() == ["interrupted", "True"], "before all is translated; and it translates on"


def test_a_handler_of_another_signal_may_end_the_call(run, lines):
    class TooLate(Exception):
        pass

    def raise_it(*_):
        raise TooLate

    translator = xformer.Translator(run, mini_batch=4, max_length_factor=50)
    before = signal.signal(signal.SIGALRM, raise_it)
    signal.alarm(1)
    try:
        with pytest.raises(TooLate):
            translator.translate(lines * 200)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert translator.translate(lines[:2])


def test_stop_ends_the_call_of_another_thread(training, tmp_path):
    ends = []

    def work():
        try:
            xformer.train(training, model=tmp_path / "run", after=ENDLESS)
        except BaseException as error:  # noqa: BLE001
            ends.append(error)

    xformer.stop()  # nothing runs
    thread = threading.Thread(target=work)
    thread.start()
    while not (tmp_path / "run/train.log").exists() and thread.is_alive():
        time.sleep(0.1)
    xformer.stop()
    thread.join(60)
    assert [type(end) for end in ends] == [xformer.Stopped]
    assert (tmp_path / "run/latest").is_symlink()


def test_exports_are_those_of_the_program(run, tmp_path):
    xformer.export("to", "ctranslate2", model=run, output=tmp_path / "ours", quantization="int8")
    program("xformer-export", "to", "ctranslate2", "-m", run, "-o", tmp_path / "theirs", "--quantization", "int8", "--quiet")
    for file in os.listdir(tmp_path / "theirs"):
        assert (tmp_path / "ours" / file).read_bytes() == (tmp_path / "theirs" / file).read_bytes(), file
    xformer.export("quantize", model=run, output=tmp_path / "small")
    found = xformer.inspect(tmp_path / "small")
    assert found == json.loads(program("xformer-export", "inspect", tmp_path / "small", "-f", "json"))
    with pytest.raises(xformer.Error, match="--overwrite"):
        xformer.export("quantize", model=run, output=tmp_path / "small")
    with pytest.raises(xformer.Error, match="no command 'quantise'; did you mean 'quantize'"):
        xformer.export("quantise", model=run)
