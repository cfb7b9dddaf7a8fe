#!/bin/sh
# What tests/gpu.sh packed, on a machine with nothing: no compiler, no library of ours, no driver, no cuBLASLt.
#   tests/gpu_pack_test.sh FILE.tar.gz ROOT    ROOT: a minimal Debian (debootstrap --variant=minbase), entered by chroot
# Root. Exit code 0: the programs start there and compute on the CPU, and `run` names what the machine lacks.
set -eu
cd "$(dirname "$0")/.."
[ $# = 2 ] && [ -x "$2/bin/sh" ] || { echo "usage: $0 FILE.tar.gz ROOT, a minimal Debian" >&2; exit 2; }
root=$2
failures=0

claim() {  # sentence, command...
  sentence=$1
  shift
  if "$@" >"$folder/output" 2>&1; then
    echo "ok      $sentence"
  else
    echo "FAILED  $sentence ($*)"
    tail -n 5 "$folder/output"
    failures=$((failures + 1))
  fi
}
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /$place && $1"; }
lacks() { ! chroot "$root" sh -c "command -v $1" >/dev/null; }

folder=$(mktemp -d "$root/tmp/gpu-pack-XXXXXX")
mount -t proc proc "$root/proc"  # where a program learns its own place, and so that of its libraries
trap 'umount "$root/proc"; rm -rf "$folder"' EXIT
place=tmp/${folder##*/}
mkdir -p "$folder/checkout/tests" "$folder/pack"
cp -r tests/gpu.sh tests/gpu "$folder/checkout/tests/"
cp "$1" "$folder/pack.tar.gz"
tar -C "$folder/pack" -xzf "$1"

for absent in g++ nvcc nvidia-smi python3; do claim "the root has no $absent" lacks $absent; done
for program in "$folder"/pack/bin/*; do
  name=${program##*/}
  option=--version
  case $name in *_tests) option=--help ;; esac  # to list tests is to exit with their number
  claim "$name starts" inside "pack/bin/$name $option"
  claim "and finds its libraries beside itself" inside "ldd pack/bin/$name >libraries &&
    ! grep 'not found' libraries && grep -q '=> .*/pack/bin/../lib/libstdc++' libraries"
done
claim "--build-info says that there is no driver" inside \
  "pack/bin/xformer-train --build-info | grep -q 'no NVIDIA driver'"
claim "kernels compute on the CPU" inside "pack/bin/kernels_tests 'Linear:*,LayerNorm:*,Softmax:*'"
claim "so does training" inside "pack/bin/xformer-vocab demo-corpus -o corpus && pack/bin/xformer-train --task demo \
  -t corpus/train.en corpus/train.de -m run --device auto --vocab-size 300 --after 2u"
claim "its log says in one line why without a GPU" inside "grep -q 'cpu, .* (there is no NVIDIA driver)' run/train.log"
claim "a GPU that is asked for is refused in one line" inside "
  ! pack/bin/xformer-translate -m run --device cuda 2>said </dev/null &&
  grep -q 'there is no NVIDIA driver; use --device cpu' said && [ \$(wc -l <said) = 1 ]"
claim "run fails" inside "! checkout/tests/gpu.sh run pack.tar.gz smoke >told 2>said"
claim "names the driver" inside "grep -q '^error: no GPU can be used: there is no NVIDIA driver$' said"
claim "says where it looked for cuBLASLt" inside \
  "grep -q '^error: libcublasLt.so.13 is not on this machine; looked in .*/usr/local/cuda/lib64 .*python3' said"
claim "and does no more than that" inside "[ \$(wc -l <said) = 2 ] && [ ! -s told ]"
claim "a part that there is not is refused" inside \
  "! checkout/tests/gpu.sh run pack.tar.gz smok 2>said && grep -q \"no part 'smok'\" said"
echo "$failures failed"
[ "$failures" = 0 ]
