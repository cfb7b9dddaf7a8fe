# shellcheck shell=sh disable=SC2154
# For tests/gpu.sh: what the machine must have, and where. Sets `device`, a name for files.

# Folders of Python environments in which cuBLASLt may lie, without importing anything large.
python_folders() {
  python3 - 2>/dev/null <<'PYTHON' || true
import importlib.util
import pathlib

for package, below in (("nvidia", ("cu13/lib", "cublas/lib")), ("torch", ("lib",))):
    spec = importlib.util.find_spec(package)
    for root in (spec.submodule_search_locations or []) if spec else []:
        for folder in below:
            print(pathlib.Path(root) / folder)
PYTHON
}

# The path of cuBLASLt, or nothing; each place looked into on a line of $1.
find_cublaslt() {  # file for the places
  # shellcheck disable=SC2012  # the newest toolkit first
  {
    echo "${LD_LIBRARY_PATH:-}" | tr : '\n'
    ldconfig -p 2>/dev/null | sed -n "s|.*=> \(.*\)/$cublaslt$|\1|p"
    ls -dr /usr/local/cuda*/lib64 /usr/local/cuda*/targets/x86_64-linux/lib 2>/dev/null || true
    echo /usr/local/cuda/lib64
    echo /usr/lib/x86_64-linux-gnu
    python_folders
  } | sed '/^$/d' >"$1"
  while read -r place; do
    if [ -e "$place/$cublaslt" ]; then
      echo "$place/$cublaslt"
      return
    fi
  done <"$1"
}

# Leaves with what is missing: the driver, a device, cuBLASLt.
find_gpu() {
  cublaslt=libcublasLt.so.13
  places=$(mktemp)
  found=$(find_cublaslt "$places")
  missing=0
  if [ -n "$found" ]; then
    # Packed programs look beside themselves; those of a build, where the toolkit is.
    [ ! -d "$bin/../lib" ] || ln -sf "$found" "$bin/../lib/"
    echo "cuBLASLt    $found"
  else
    echo "error: $cublaslt is not on this machine; looked in $(tr '\n' ' ' <"$places")and python3's packages" >&2
    missing=1
  fi
  rm -f "$places"
  "$bin/xformer-train" --build-info >/dev/null || { echo "error: the programs do not start here" >&2; exit 1; }
  cuda=$("$bin/xformer-train" --build-info | sed -n 's/^CUDA *//p')
  case $cuda in
    *"cuBLASLt is not found"*) ;;  # said above
    *"not usable"*) echo "error: no GPU can be used: ${cuda#*not usable: }" >&2; missing=1 ;;
    *) echo "device      $cuda" ;;
  esac
  [ $missing = 0 ] || exit 1
  device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 | tr -c '[:alnum:]\n' - || true)
  device=${device:-gpu}-$(date +%Y-%m-%d)
  export XF_TEST_DEVICE=cuda XF_REQUIRE_CUDA=1
}
