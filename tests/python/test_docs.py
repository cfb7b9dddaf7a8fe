"""The code of docs/python.md runs, from its first block to its last, and prints what stands below it."""
import contextlib
import io
import os
import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


def test_the_page_runs(corpus, tmp_path, monkeypatch):
    for side in ("en", "de"):
        for name, source in (("train", "some"), ("test", "test")):
            (tmp_path / f"{name}.{side}").write_text((corpus / f"{source}.{side}").read_text())
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n((?:    [^\n]*\n)+))?", PAGE.read_text(), re.S)
    assert len(blocks) >= 6
    names = {}
    for code, printed in blocks:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, str(PAGE), "exec"), names)
        if printed:
            assert said.getvalue() == re.sub("(?m)^    ", "", printed), code
    assert os.path.exists("run/averaged")


def test_the_stub_names_what_the_module_has():
    import xformer._xformer as module
    stub = pathlib.Path(module.__file__).with_name("_xformer.pyi").read_text()
    named = set(re.findall(r"^(?:def|class) (\w+)|^(version):", stub, re.M))
    there = {name for name in dir(module) if not name.startswith("_")}
    assert {a or b for a, b in named} == there
