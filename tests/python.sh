#!/usr/bin/env bash
# The Python package as a user gets it: a wheel of these sources and of the libraries in build/, which are built if they are
# not, installed in an empty virtual environment and tested there, from another folder.
#   tests/python.sh [ARGUMENT...]      go to pytest: -k ctrl_c
# $XFORMER_PYTHON: the interpreter, default python3. $XFORMER_PYTHON_PACKAGES: more packages for the environment, such as torch,
# whose tests are skipped without it.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export OMP_WAIT_POLICY=passive XFORMER_PROGRAMS=$root/build/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-python-XXXXXX")
trap 'rm -rf "$work"' EXIT

tools/build.sh xf_app xformer-train xformer-translate xformer-score xformer-vocab xformer-export
cmake --install build --component development --prefix "$work/libraries" >/dev/null

"${XFORMER_PYTHON:-python3}" -m venv "$work/venv"
pip=("$work/venv/bin/python" -m pip --quiet --disable-pip-version-check)
"${pip[@]}" wheel . --no-deps --wheel-dir "$work/wheel" \
  --config-settings=cmake.define.XFORMER_LIBRARIES="$work/libraries" --config-settings=build-dir="$work/build"
ls -sh "$work/wheel"
"$work/venv/bin/python" -m zipfile -l "$work"/wheel/*.whl >"$work/files"
for file in LICENSE THIRD_PARTY_NOTICES.md; do
  grep -qF "licenses/$file " "$work/files" || { echo "error: the wheel has no $file" >&2; exit 1; }
done
tests/runpath.sh "$work"/wheel/*.whl "$work/build"
# shellcheck disable=SC2086  # packages are words
"${pip[@]}" install "$work"/wheel/*.whl pytest mypy ${XFORMER_PYTHON_PACKAGES:-}

cd "$work"
venv/bin/python -c 'import xformer; print("xformer", xformer.__version__, "from", xformer.__file__)'
venv/bin/python -m mypy --strict --python-executable venv/bin/python "$root/tests/python/typed_use.py" --cache-dir "$work/mypy"
venv/bin/python -m pytest -p no:cacheprovider -q "$root/tests/python" "$@"
