# shellcheck shell=sh disable=SC2154
# For tests/gpu.sh: the programs in one file, for a machine without compiler.
# bin/ has the programs, which look for their libraries in lib/ beside it: a variable like LD_LIBRARY_PATH would also
# turn the machine's own python3 to them. It is DT_RPATH, which unlike DT_RUNPATH also holds for what libraries need.

pack() {  # file, architecture...; none: every one
  to=$1
  shift
  architectures=$(printf '%s-real;' "$@")
  # For any processor of x86-64-v3 and better, whatever this folder was configured for before.
  cmake --preset cuda -DXFORMER_NATIVE=OFF -UCMAKE_CUDA_ARCHITECTURES \
    ${1:+"-DCMAKE_CUDA_ARCHITECTURES=${architectures%;}"} -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib' \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags >/dev/null
  # shellcheck disable=SC2086  # one word per program
  cmake --build --preset cuda --target $programs
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir "$folder/bin" "$folder/lib"
  for program in $programs; do
    strip -o "$folder/bin/$program" "build-cuda/bin/$program"
    # The C library is the other machine's.
    ldd "build-cuda/bin/$program" | awk '$3 ~ /^\// { print $3 }' |
      grep -vE '/(ld-linux|libc|libm|libdl|libpthread|librt)[-.]' | xargs -I{} cp -Lu {} "$folder/lib/"
  done
  # What mpirun needs; MPI itself is the other machine's.
  [ ! -e build-cuda/bin/xformer_mpi.so ] || strip -o "$folder/bin/xformer_mpi.so" build-cuda/bin/xformer_mpi.so
  mkdir "$folder/bench"
  cp -r bench/peers "$folder/bench/"  # where xformer-bench looks for them, above itself
  tests/runpath.sh "$folder"
  git describe --always --dirty --abbrev=12 >"$folder/commit" 2>/dev/null || echo unknown >"$folder/commit"
  if [ -e "$data/train.en" ]; then
    mkdir "$folder/data"
    cp "$data"/train.?? "$data"/val.?? "$data"/test_2016_flickr.?? "$folder/data/"
  fi
  mkdir -p "$(dirname "$to")"
  XZ_OPT=-9 tar -C "$folder" -caf "$to" .  # of the programs' kernels, which are the same, xz keeps one copy
  du -h "$to"
}
