#!/bin/bash
# The pages of docs/book against the project: each command is run again, each piece of code read again (weave.awk), each
# figure drawn again, and compared (compare.awk).
#   tests/book/weave.sh [--update] [--build BUILD] PAGE...      BUILD: build/
# --update writes what is new into the pages. Commands run in a scratch copy of the root, so a page's command may write
# below docs/book/figures/ or build/exercises/. Exit code 0: the pages are true. Needs bash and awk alone; cog and cram,
# which do such things, need Python and know no tolerance.
set -u
update= build=
while [ $# -gt 0 ]; do
  case $1 in
    --update) update=yes ;;
    --build) build=$(realpath "$2") && shift ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || {
  echo "usage: tests/book/weave.sh [--update] [--build BUILD] PAGE..." >&2
  exit 2
}
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../..")
build=${build:-$root/build}
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-book-XXXXXX")
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
unset XFORMER_EXERCISES

# Everything as in the root; what commands write stays here.
fresh_scratch() {
  rm -rf "$work/root" && mkdir -p "$work/root/build"
  ln -s "$root"/* "$work/root" 2>/dev/null
  ln -s "$build"/* "$work/root/build"
  rm -f "$work/root/build/exercises" "$work/root/docs"
  cp -R "$root/docs" "$work/root/docs"
  rm -rf "$work/root/docs/book/figures" && mkdir "$work/root/docs/book/figures"
}

# The figures that a page shows, each drawn by one of its commands.
figures() { # page
  local figure made failed=0
  for figure in $(grep -oE '\]\(figures/[^)]*\)' "$1" | sed 's/](figures\/\(.*\))/\1/'); do
    made=$work/root/docs/book/figures/$figure committed=$(dirname "$1")/figures/$figure
    if [ ! -e "$made" ]; then
      echo "$1: no command of the page draws figures/$figure" && failed=1
    elif ! awk -f "$here/compare.awk" -v everywhere=1 "$committed" "$made"; then
      if [ "$update" ]; then
        mkdir -p "$(dirname "$committed")" && cp "$made" "$committed"
      else
        failed=1
      fi
    fi
  done
  return $failed
}

check() { # page
  local failed=0
  fresh_scratch
  awk -f "$here/weave.awk" -v root="$root" -v scratch="$work/root" -v printed="$work/log" "$1" >"$work/page" || return 1
  if ! awk -f "$here/compare.awk" "$1" "$work/page" >"$work/differences"; then
    if [ "$update" ]; then
      cp "$work/page" "$1" && echo "$1: updated"
    else
      cat "$work/differences"
      echo "$1: not what the project prints; tests/book/weave.sh --update $1, and read what it changed" && failed=1
    fi
  fi
  figures "$1" || failed=1
  awk -f "$here/prose.awk" "$1" || failed=1
  return $failed
}

failures=0
for page in "$@"; do check "$page" || failures=$((failures + 1)); done
[ "$failures" = 0 ]
