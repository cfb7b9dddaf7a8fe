#!/bin/sh
# Exercises in the shipped code: an equation is cut out of its plain kernel, or of its block, you write it again, and the
# tests judge it.
#   tools/exercise.sh              all of them: id, file, the equation as its page has it
#   tools/exercise.sh LN5          cuts LN5 out, in a copy: build/exercises/LN5/ (or $XFORMER_EXERCISES/LN5/)
#   tools/exercise.sh LN5 check    compiles the copy with its tests and runs them. Exit code 0: solved
#   tools/exercise.sh LN5 try 'dx[n * D + j] = 0;'    what the tests say of this line in a copy of its own: build/exercises/tries/
# check and try need a build: that of tools/demo.sh, or tools/build.sh
set -eu
export LC_ALL=C.UTF-8  # numbers have a point
cd "$(dirname "$0")/.."
plain=kernels/plain exercises=${XFORMER_EXERCISES:-build/exercises}

# The lines of the plain kernels that end in an id, as FILE:LINE:LINE:ID; and the statements of the blocks that do, as
# FILE:FIRST:LAST:ID. A block may compute an equation in several places, and several equations in one statement.
equations() {
  awk 'match($0, /\/\/ [A-Z][A-Z][0-9]+/) { print FILENAME ":" FNR ":" FNR ":" substr($0, RSTART + 3, RLENGTH - 3) }' $plain/*.h
  awk '
    FNR == 1 { first = 1 }
    {
      code = $0
      sub(/ *\/\/.*/, "", code)
      if (code ~ /;$/ && match($0, /\/\/ [A-Z][A-Z][0-9]+/)) {
        count = split(substr($0, RSTART + 3), ids, ", ")
        for (i = 1; i <= count; ++i) print FILENAME ":" first ":" FNR ":" ids[i]
      }
      if (code == "" || code ~ /[;{}]$/) first = FNR + 1
    }' nn/*.cpp
}

# The id's equation, from the page that defines it.
equation_of() { printf '(%s)  %s\n' "$1" "$(grep -hF "\\tag{$1}" docs/derivations/*.md | sed -E -f tools/formula_text.sed)"; }
page_of() { grep -lF "\\tag{$1}" docs/derivations/*.md; }

list() {
  equations | sort -t : -k 4,4 -u | sort -t : -k 1,1 -k 2,2n -s | while IFS=: read -r file _ _ id; do
    printf '%-5s %-34s %s\n' "$id" "$file" "$(equation_of "$id")"
  done
}

# An id names folders that are made and removed, so it is a word of the list before anything else is done.
require_exercise() { # id
  case $1 in
    '' | *[!A-Z0-9]*) ;;
    *) ! equations | grep -q ":$1\$" || return 0 ;;
  esac
  echo "error: no exercise is called '$1'; tools/exercise.sh lists them" >&2
  exit 2
}

# What is cut out of a plain kernel is the statement of one line: a value becomes 0, anything else goes as a whole.
cut_line() { # line, id, file
  sed -E -i "$1{
    s|(const double [a-z_]+ = ).*;.*|\1 0;  // exercise $2: write it|; t
    s|return [^;]*;|return 0.0;  /* exercise $2: write it */|; t
    s|^( *).*|\1// exercise $2: write it|
  }" "$3"
}

# Out of a block goes the statement, in one line or several, with all the equations that it computes.
cut_statement() { # first line, last line, id, file
  ids=$(sed -n "$2s|.*// ||p" "$4")
  sed -E -i "$1s|^( *).*|\1// exercise $3: write $ids|" "$4"
  [ "$1" = "$2" ] || sed -i "$(($1 + 1)),$2d" "$4"
}

cut() {
  id=$1
  places=$(equations | grep ":$id\$" | sort -t : -k 2,2nr)
  folder=$exercises/$id file=${places%%:*}
  [ ! -e "$folder" ] || {
    echo "error: $folder exists; go on there, or remove it to begin anew" >&2
    exit 2
  }
  mkdir -p "$folder/${file%/*}"
  case $file in
    $plain/*) cp $plain/*.h "$folder/$plain" ;;
    *) cp "$file" "$folder/$file" ;;
  esac
  for place in $places; do  # the last one first, so that the lines of the others stay where they are
    rest=${place#*:} first=${rest%%:*} rest=${rest#*:} last=${rest%%:*}
    case $file in
      $plain/*) cut_line "$first" "$id" "$folder/$file" ;;
      *) cut_statement "$first" "$last" "$id" "$folder/$file" ;;
    esac
  done
  equation_of "$id"
  echo
  echo "The equation is derived in $(page_of "$id"); write it in"
  grep -n "exercise $id: write" "$folder/$file" | sed "s|^\([0-9]*\):.*|  $folder/$file:\1|"
  echo "and have it judged by"
  echo "  tools/exercise.sh $id check"
}

check() {
  folder=$exercises/$1
  [ -d "$folder" ] || {
    echo "error: $1 has not been begun: tools/exercise.sh $1" >&2
    exit 2
  }
  if judged "$folder"; then
    echo "$1 is right: all tests pass"
    return
  fi
  echo "$1 is not right yet:"
  failures "$folder/log" | sed 's/^/  /'
  echo "What the tests say themselves: $folder/log"
  exit 1
}

# Whether what the folder has is right. What compiler and tests say goes into its log.
judged() { # folder
  [ -e build/judge_exercise.sh ] || {
    echo "error: nothing is built yet: tools/demo.sh, or tools/build.sh" >&2
    exit 1
  }
  targets=$(sh build/judge_exercise.sh "$1" needs)
  if [ -n "$targets" ]; then
    echo "building the tests that judge it, once ..." >&2
    # shellcheck disable=SC2086  # one word per target
    cmake --build build --target $targets >"$1/log" 2>&1 || {
      tail -n 20 "$1/log"
      exit 1
    }
  fi
  sh build/judge_exercise.sh "$1" >"$1/log" 2>&1
}

# Each test that fails, with the largest relative error that it found; where none has run, all of the log, and 1.
failures() { # log
  # The names of failed tests stand between two lines of dashes.
  awk '/^-+$/ { if (naming && !(name in worst)) { order[++count] = name; worst[name] = 0 } naming = !naming; if (naming) name = ""; next }
       naming { sub(/^ +/, ""); name = name (name == "" || name ~ /-$/ ? "" : " ") $0; next }
       /^  [0-9.]+ < / && $1 > worst[name] { worst[name] = $1 }
       END { for (i = 1; i <= count; ++i) print order[i] ": " (worst[order[i]] ? "off by " worst[order[i]] : "fails"); exit !count }' "$1" || {
    cat "$1"
    return 1
  }
}

# What a statement in the hole would do.
try() { # id, statement
  exercises=$exercises/tries
  rm -rf "${exercises:?}/$1"
  cut "$1" >/dev/null
  awk -v hole="exercise $1: write" -v statement="$2" '
    index($0, hole) && match($0, /(const double [a-z_]+ = 0;  \/\/|return 0\.0;  \/\*|\/\/) exercise [^*]*(\*\/)?/) {
      $0 = substr($0, 1, RSTART - 1) statement substr($0, RSTART + RLENGTH)
    }
    { print }' "$folder/$file" >"$folder/tried" && mv "$folder/tried" "$folder/$file"
  if judged "$folder"; then echo "all tests pass"; else failures "$folder/log"; fi
}

[ $# = 0 ] || require_exercise "$1"
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
