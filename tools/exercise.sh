#!/bin/sh
# Exercises in the shipped code: an equation is cut out of its plain kernel, you write it again, and the tests judge it.
#   tools/exercise.sh              all of them: id, file, the equation as its page has it
#   tools/exercise.sh LN5          cuts LN5 out, in a copy: build/exercises/LN5/ (or $XFORMER_EXERCISES/LN5/)
#   tools/exercise.sh LN5 check    compiles the copy with its tests and runs them. Exit code 0: solved
#   tools/exercise.sh LN5 try 'dx[n * D + j] = 0;'    what the tests say of this line in a copy of its own: build/exercises/tries/
# check and try need a build: cmake --preset release && cmake --build --preset release --target xf_test_main xf_core
set -eu
cd "$(dirname "$0")/.."
plain=kernels/plain exercises=${XFORMER_EXERCISES:-build/exercises}

# The lines of the plain kernels that end in an id, as FILE:LINE:ID.
equations() {
  awk 'match($0, /\/\/ [A-Z][A-Z][0-9]+/) { print FILENAME ":" FNR ":" substr($0, RSTART + 3, RLENGTH - 3) }' $plain/*.h
}

# The id's equation, from the page that defines it.
equation_of() { printf '(%s)  %s\n' "$1" "$(grep -hF "\\tag{$1}" docs/derivations/*.md | sed -E -f tools/formula_text.sed)"; }
page_of() { grep -lF "\\tag{$1}" docs/derivations/*.md; }

list() {
  equations | while IFS=: read -r file _ id; do
    printf '%-5s %-34s %s\n' "$id" "$file" "$(equation_of "$id")"
  done
}

# What is cut is the statement of one line: a value becomes 0, anything else goes as a whole.
cut_line() { # line, id
  sed -E -i "$1{
    s|(const double [a-z_]+ = ).*;.*|\1 0;  // exercise $2: write it|; t
    s|return [^;]*;|return 0.0;  /* exercise $2: write it */|; t
    s|^( *).*|\1// exercise $2: write it|
  }" "$3"
}

cut() {
  id=$1
  line=$(equations | grep ":$id\$") || {
    echo "error: no exercise is called '$id'; tools/exercise.sh lists them" >&2
    exit 2
  }
  folder=$exercises/$id file=${line%%:*}
  [ ! -e "$folder" ] || {
    echo "error: $folder exists; go on there, or remove it to begin anew" >&2
    exit 2
  }
  mkdir -p "$folder/$plain"
  cp $plain/*.h "$folder/$plain"
  number=${line#*:} number=${number%%:*}
  cut_line "$number" "$id" "$folder/$file"
  equation_of "$id"
  echo
  echo "The equation is derived in $(page_of "$id"); write it in"
  echo "  $folder/$file:$number"
  echo "and have it judged by"
  echo "  tools/exercise.sh $id check"
}

# Only what the tests of the plain kernels need; the copy's headers stand before the project's.
check() {
  folder=$exercises/$1
  [ -d "$folder" ] || {
    echo "error: $1 has not been begun: tools/exercise.sh $1" >&2
    exit 2
  }
  [ -e build/judge_exercise.sh ] || {
    echo "error: nothing is built yet: cmake --preset release && cmake --build --preset release --target xf_test_main xf_core" >&2
    exit 1
  }
  sh build/judge_exercise.sh "$folder"
}

# Each test that fails, with the largest relative error that it found.
try() { # id, statement
  exercises=$exercises/tries
  rm -rf "${exercises:?}/$1"
  cut "$1" >/dev/null
  awk -v line="$number" -v statement="$2" '
    FNR == line && match($0, /(const double [a-z_]+ = 0;  \/\/|return 0\.0;  \/\*|\/\/) exercise .*: write it( \*\/)?/) {
      $0 = substr($0, 1, RSTART - 1) statement substr($0, RSTART + RLENGTH)
    }
    { print }' "$folder/$file" >"$folder/tried" && mv "$folder/tried" "$folder/$file"
  if check "$1" >"$folder/log" 2>&1; then
    echo "all tests pass"
    return
  fi
  awk '/^Plain kernels: / { name = $0; wrapped = 1; next }
       wrapped && !/^--/ { name = name (name ~ /-$/ ? "" : " ") $1; next }
       wrapped { wrapped = 0; if (!(name in worst)) { order[++count] = name; worst[name] = 0 } }
       /^  [0-9.]+ < / && $1 > worst[name] { worst[name] = $1 }
       END { for (i = 1; i <= count; ++i) print order[i] ": " (worst[order[i]] ? "off by " worst[order[i]] : "fails"); exit !count }' "$folder/log" || {
    cat "$folder/log" >&2
    exit 1
  }
}

case $#:${2:-} in
  0:) list ;;
  1:) cut "$1" ;;
  2:check) check "$1" ;;
  3:try) try "$1" "$3" ;;
  *)
    echo "usage: tools/exercise.sh [ID [check | try STATEMENT]]" >&2
    exit 2
    ;;
esac
