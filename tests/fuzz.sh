#!/usr/bin/env bash
# Looks for bytes that break a reader: builds the fuzz targets with clang and runs them one after the other.
#   tests/fuzz.sh [60s | 100000] [TARGET...]     so long, or so many executions, for each; default: 60s, all targets
# Prints executions, branches reached and findings of each. What a target has learnt stays in build-fuzz/learnt/TARGET, and
# a later run goes on from it; what breaks one is in build-fuzz/findings/TARGET: exit code 1. A finding that is mended
# belongs into tests/fuzz/corpus/TARGET. Needs clang-14, libclang-rt-14-dev and libomp-14-dev.
set -eu
cd "$(dirname "$0")/.."
limit=60s
case ${1:-} in
  [0-9]*) limit=$1 && shift ;;
esac
case $limit in
  *s) stop=-max_total_time=${limit%s} ;;
  *) stop=-runs=$limit ;;
esac
[ $# -gt 0 ] || set -- $(ls tests/fuzz/corpus)

cmake --preset fuzz >/dev/null
targets=("$@")
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}" >build-fuzz/log || {
  tail -n 20 build-fuzz/log
  exit 1
}

# Longer inputs reach no more branches in the targets whose work grows with the square of the length.
longest() {
  case $1 in
    metrics | smiles | words) echo 256 ;;
    *) echo 8192 ;;
  esac
}

found=0
printf '%-18s%14s%10s%10s\n' target executions branches findings
for target in "$@"; do
  log=build-fuzz/$target.log findings=build-fuzz/findings/$target
  mkdir -p "build-fuzz/learnt/$target" "$findings"
  OMP_NUM_THREADS=1 ASAN_OPTIONS=quarantine_size_mb=32:allocator_may_return_null=0 \
    build-fuzz/bin/fuzz_"$target" "$stop" -max_len="$(longest "$target")" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 \
    -print_final_stats=1 -artifact_prefix="$findings/" "build-fuzz/learnt/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1 ||
    found=1
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  branches=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf '%-18s%14s%10s%10s\n' "$target" "$executions" "$branches" "$(find "$findings" -type f | wc -l)"
done
exit $found
