#!/usr/bin/env bash
# The tests that sacreBLEU's source package brings, asked of xformer-score: sacrebleu_suite.py. Counts at the end.
#   tests/peers/sacrebleu_suite.sh FOLDER_OF_THE_PROGRAMS [SOURCE_PACKAGE]
# SOURCE_PACKAGE: sacrebleu-2.6.0.tar.gz; if it is not given, pip fetches it. Environment: XFORMER_PEERS_VENV, a virtual
# environment with sacrebleu 2.6.0, NumPy 2 and pytest; if it is not set, one is made for this call.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
program=$(realpath "$1")/xformer-score
package=${2:+$(realpath "$2")}
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-sacrebleu-XXXXXX")
trap 'rm -rf "$work"' EXIT

venv=$(realpath -ms "${XFORMER_PEERS_VENV:-$work/venv}")
cd "$work" # Python takes modules from the current folder
[ -d "$venv" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import sacrebleu, numpy, pytest' 2>/dev/null ||
  "$venv/bin/pip" install --quiet sacrebleu==2.6.0 'numpy~=2.0' pytest
if [ $# -lt 2 ]; then
  "$venv/bin/pip" download --quiet --no-deps --no-binary sacrebleu --dest "$work" sacrebleu==2.6.0
  package=$work/sacrebleu-2.6.0.tar.gz
fi
# The tests alone: beside the package's source Python would take that, which is not whole, for the one installed.
mkdir "$work/tests"
tar -xzf "$package" -C "$work/tests" --strip-components=1 --wildcards '*/test/*'
"$venv/bin/python" "$here/sacrebleu_suite.py" "$program" "$work/tests/test"
