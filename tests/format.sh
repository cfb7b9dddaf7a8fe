#!/bin/sh
# Every source is as clang-format 14 (Debian 12's) leaves it; other majors format otherwise.
#   tests/format.sh          names what is not, with its first line that differs; exit code 1 if there is any
#   tests/format.sh --fix    formats it
set -eu
cd "$(dirname "$0")/.."

command -v clang-format-14 >/dev/null || {
  echo "error: no clang-format-14; on Debian 12: apt-get install clang-format-14" >&2
  exit 1
}
mode="--dry-run --Werror --ferror-limit=1"
[ "${1:-}" != --fix ] || mode=-i
# shellcheck disable=SC2086  # several words
find autograd bench core data docs kernels nn python tests tools -regex '.*\.\(h\|cpp\|cu\|cuh\)' -print0 |
  xargs -0 clang-format-14 $mode
