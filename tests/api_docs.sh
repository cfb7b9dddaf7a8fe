#!/bin/sh
# The pages of the library's interface (tools/api_docs.sh): a comment speaks of every declaration, and one without is named.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-api-XXXXXX")
trap 'rm -rf "$work"' EXIT
tools/api_docs.sh "$work/pages"
grep -q 'The best translation of each line' "$work/pages/html/classxf_1_1Translator.html"
grep -rq 'the biased variance\|variance is biased' "$work/pages/html/layer__norm_8h.html"

mkdir -p "$work/copy/docs"
cp -r tools kernels CMakeLists.txt "$work/copy"
cp -r docs/api "$work/copy/docs"
sed -i 's|^}  // namespace xf::kernels|\nvoid planted(const Tensor\& x);\n\n&|' "$work/copy/kernels/softmax.h"
if "$work/copy/tools/api_docs.sh" "$work/planted" >"$work/log" 2>&1; then
  echo "error: a declaration without a comment was accepted" >&2
  exit 1
fi
grep -q 'planted(const Tensor &x) (function) of namespace xf::kernels is not documented' "$work/log"
[ "$(grep -c 'not documented' "$work/log")" = 1 ]
