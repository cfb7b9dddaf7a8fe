#!/usr/bin/env bash
# Where the loader looks for what a program needs: in named folders that nobody else can write, whatever the current folder is.
#   tests/runpath.sh FOLDER|FILE.deb|FILE.whl...
# Reads every program and shared library there, but not the Python environments of others. Wrong is, in RUNPATH or RPATH, an empty
# or relative element, which is the current folder, and one that everybody can write or make; and a library or loader that
# is needed by a relative path. Each is a line. Exit code 1: there is one; 2: there is nothing to read.
set -euo pipefail
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-runpath-XXXXXX")
trap 'rm -rf "$work"' EXIT
read=0 wrong=0

tell() {  # file, what
  printf '%s: %s\n' "$1" "$2" >&2
  wrong=$((wrong + 1))
}

# Whether everybody can write the folder, or one above it, by its name or without links: that one may be taken away, or be made
# where there is none.
is_anybodys() {  # absolute path
  local folder
  for folder in "$1" "$(realpath -m "$1")"; do
    until [ "$folder" = / ]; do
      [ -z "$(find -H "$folder" -maxdepth 0 -perm -002 2>/dev/null)" ] || return 0
      folder=$(dirname "$folder")
    done
  done
  return 1
}

check_element() {  # file, element
  # shellcheck disable=SC2016  # the loader's variable
  case $2 in
    '$ORIGIN' | '$ORIGIN/'* | '${ORIGIN}' | '${ORIGIN}/'*) ;;  # as safe as the file itself
    /*) ! is_anybodys "$2" || tell "$1" "RUNPATH has '$2', which everybody can write or make" ;;
    *) tell "$1" "RUNPATH has '$2', which is below the current folder" ;;
  esac
}

check_file() {  # file
  local what value element
  read=$((read + 1))
  LC_ALL=C readelf --wide --dynamic --program-headers "$1" >"$work/told"
  sed -nE -e 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]$/path \2/p' \
    -e 's/.*\((NEEDED|AUDIT|DEPAUDIT|FILTER|AUXILIARY)\).*\[(.*)\]$/library \2/p' \
    -e 's/.*\[Requesting program interpreter: (.*)\]$/loader \1/p' "$work/told" >"$work/names"
  while IFS=' ' read -r what value; do
    case $what:$value in
      path:*) while IFS= read -r -d : element; do check_element "$1" "$element"; done <<<"$value:" ;;
      library:/* | loader:/*) ;;
      library:*/* | loader:*) tell "$1" "needs '$value', which is below the current folder" ;;
    esac
  done <"$work/names"
}

# Programs and libraries, of all that may be loaded: not what the linker takes.
check_folder() {  # folder
  local file magic
  while IFS= read -r -d '' file; do
    IFS= read -r -d '' -n 4 magic <"$file" || true
    [ "$magic" != $'\x7fELF' ] || check_file "$file"
  done < <(find "$1" -type d -exec test -e '{}/pyvenv.cfg' ';' -prune -o \
    -type f \( -perm /111 -o -name '*.so' -o -name '*.so.*' \) ! -name '*.o' -print0)
}

[ $# -gt 0 ] || { sed -n '3s/^# *//p' "$0" >&2; exit 2; }
for place in "$@"; do
  case $place in
    *.deb | *.whl)
      packed=$(realpath "$place") place=$work/$read
      mkdir "$place"
      case $packed in
        *.deb) dpkg-deb -x "$packed" "$place" ;;
        *.whl) (cd "$place" && cmake -E tar xf "$packed") ;;
      esac
      ;;
  esac
  before=$read
  check_folder "$place"
  [ "$read" -gt "$before" ] || { echo "error: tests/runpath.sh: no program or library in $place" >&2; exit 2; }
done
echo "$read programs and libraries, $wrong wrong"
[ "$wrong" = 0 ]
