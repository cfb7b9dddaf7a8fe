#!/usr/bin/env bash
# What `cmake --install` and `cpack` make of build/: programs that know nothing of the checkout; examples that build against
# the installed library, with CMake and with pkg-config, and work; Debian packages.
#   tests/package.sh [FOLDER]      leaves the packages in FOLDER; default: build/
# A fresh machine without compiler then takes them: tests/installed_package.sh.
set -eu
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
packages=$(realpath -m "${1:-$(dirname "$0")/../build}")
cd "$(dirname "$0")/.."
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-package-XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

claim() {  # sentence, command...
  text=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok      $text"
  else
    echo "FAILED  $text"
    tail -n 20 "$work/log"
    failures=$((failures + 1))
  fi
}

prefix=$work/prefix
tools/build.sh xformer-train xformer-translate xformer-score xformer-generate \
  xformer-classify xformer-vocab xformer-export xformer-explain xformer-bench option_pages >/dev/null
cmake --install build --prefix "$prefix" >/dev/null

no_word_of_the_checkout() {
  ! grep -rlF -e "$PWD" "$prefix"
}
every_include_is_there() {
  grep -rhoE '#include "xformer/[^"]*"' "$prefix/include" | sort -u | sed 's/.*"\(.*\)"/\1/' |
    while read -r header; do [ -e "$prefix/include/$header" ] || { echo "no $header"; exit 1; }; done &&
    ! grep -rE '#include "(core|kernels|autograd|nn|data|tools)/' "$prefix/include"
}
claim "installed files say nothing of the checkout" no_word_of_the_checkout
claim "installed headers find each other below xformer/" every_include_is_there

flags_are_the_consumers_own() {
  cat "$prefix/lib/cmake/xformer/xformerTargets.cmake" "$prefix/lib/pkgconfig/xformer.pc" >"$work/flags" &&
    ! grep -E -e '-W|-march' "$work/flags"
}
claim "no program looks for libraries in the current folder, or where everybody can write" tests/runpath.sh "$prefix"
claim "no warnings and no -march are pushed on to consumers" flags_are_the_consumers_own

by_cmake() {
  cmake -S "$prefix/share/xformer/examples" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/by-cmake"
}
by_pkg_config() {
  mkdir -p "$work/by-pkg-config"
  # shellcheck disable=SC2046  # flags are words
  g++ "$prefix/share/xformer/examples/translate.cpp" -o "$work/by-pkg-config/translate" \
    $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs xformer)
}
claim "the examples build with find_package(xformer)" by_cmake
claim "one builds with pkg-config" by_pkg_config

by_the_tape() { "$work/by-cmake/one_gradient" | grep 'by the tape'; }
claim "one differentiates by the tape" by_the_tape
claim "one calls a kernel on memory of its own" "$work/by-cmake/layer_norm"

export PATH="$prefix/bin:$PATH" OMP_WAIT_POLICY=passive
(cd "$work" && xformer-vocab demo-corpus --quiet -o corpus)
for side in en de; do
  head -n 300 "$work/corpus/train.$side" >"$work/train.$side"
  head -n 5 "$work/corpus/test.$side" >"$work/test.$side"
done
cat >"$work/config.toml" <<TOML
task = "demo"
train-sets = ["$work/train.en", "$work/train.de"]
model = "$work/run"
vocab-size = 300
dim-emb = 32
after = "60u"
quiet = true
TOML
claim "the example trains from a configuration file" "$work/by-cmake/train" "$work/config.toml"
claim "the run translates" xformer-translate --quiet -m "$work/run" -i "$work/test.en" -o "$work/expected"
for metric in bleu chrf ter; do xformer-score "$metric" "$work/test.de" -i "$work/expected" -f text; done >"$work/scores"
xformer-score lm -m "$work/run" -t "$work/test.en" "$work/test.de" | awk '/^perplexity/ { printf "%.2f\n", $2 }' >"$work/perplexity"
as_the_program_scores() {
  "$work/by-cmake/evaluate" "$work/run" "$work/test.en" "$work/test.de" >"$work/found"
  head -n 3 "$work/found" | cmp - "$work/scores" && awk 'END { printf "%.2f\n", $NF }' "$work/found" | cmp - "$work/perplexity"
}
claim "the example that measures says what xformer-score says" as_the_program_scores
for kind in by-cmake by-pkg-config; do
  translates() { "$work/$kind/translate" "$work/run" <"$work/test.en" | cmp - "$work/expected"; }
  claim "the example built $kind translates as xformer-translate does" translates
done

rm -f build/packages/*.deb  # of an earlier version
claim "three Debian packages" \
  sh -c "cd build && cpack -B packages && ls packages/xformer_*.deb packages/libxformer-dev_*.deb packages/xformer-mpi_*.deb"
need_no_mpi() {
  dpkg-deb -f build/packages/xformer_*.deb Depends >"$work/needed" && grep . "$work/needed" && ! grep -i mpi "$work/needed"
}
claim "of which the programs' need no MPI" need_no_mpi
have_notices() {
  for package in build/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -tf - >"$work/files" || return 1
    for file in LICENSE THIRD_PARTY_NOTICES.md; do
      grep -qE "^\./usr/share/doc/[a-z-]+/$file\$" "$work/files" || { echo "$package has no $file"; return 1; }
    done
  done
}
claim "each with the licence and the notices of others' works" have_notices
claim "whose programs look for libraries where nobody else can write" tests/runpath.sh build/packages/xformer*.deb "$work"/by-*
mkdir -p "$packages"
[ "$packages" -ef build/packages ] || cp build/packages/*.deb "$packages"
ls -sh build/packages/*.deb
for package in build/packages/*.deb; do dpkg-deb -f "$package" Package Depends; done
echo "$failures failed"
[ "$failures" = 0 ]
