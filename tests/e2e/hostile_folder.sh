#!/usr/bin/env bash
# A current folder whose name is a command, and in which somebody has put libraries, programs, scripts and settings under every
# name that ours might look for: none of it runs, and every answer is what it is elsewhere.
#   hostile_folder.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus

# ---- models to work with
paste -d '\n' train.en train.de >train.text
sed 's/.*/en\nde/' train.en >train.labels
tiny=(--vocab-size 200 --dim-emb 32 --transformer-dim-ffn 64 --after 2u --quiet)
train run --after 2u --quiet &&
  xformer-train --task language-model "${tiny[@]}" --dec-depth 1 -t train.en -m language_model &&
  xformer-train --task classification "${tiny[@]}" --enc-depth 1 -t train.text train.labels -m classifier || exit 1
head -n 3 test.en >input

# ---- the folder. What runs leaves its name in $work/ran, or, where a shell reads the folder's name, a file called "shell".
# shellcheck disable=SC2016
hostile=$work/$'it\'s "a"; touch shell; \'; touch shell; \'$(touch shell) `touch shell`\n touch shell'
mkdir -p "$hostile"/{bin,lib,lib64,sim} "$hostile/bench/peers" "$hostile/build/peers-venv/bin" "$hostile/home"
plant_program() { # path in the folder
  printf '#!/bin/sh\necho "%s" >>"%s/ran"\n' "$1" "$work" >"$hostile/$1"
  chmod +x "$hostile/$1"
}
for name in git nvidia-smi python3 python sh addr2line orted mpirun build/peers-venv/bin/python; do plant_program "$name"; done
for name in bench/peers/{turns,torch_ops,torch_step,ctranslate2_translate,xformer_kernel} sitecustomize usercustomize numpy json; do
  echo "open('$work/ran', 'a').write('$name.py')" >"$hostile/$name.py"
done
for name in xformer.toml .xformer.toml .xformerrc config.toml options.toml openmpi-mca-params.conf icudt{72,76}l.dat commit; do
  echo 'device = "nonsense"' >"$hostile/$name"
done
printf '#!/bin/sh\necho core.fsmonitor >>"%s/ran"\n' "$work" >watch
chmod +x watch
planted=none
if command -v git >/dev/null; then
  repository() { git -C "$hostile" -c user.name=n -c user.email=n@localhost "$@"; }
  repository init --quiet && repository add commit && repository commit --quiet -m planted &&
    repository config core.fsmonitor "$work/watch" || exit 1
  planted=$(repository rev-parse --short=12 HEAD)
  echo >>"$hostile/commit"
fi

# Every library that the programs and modules need, or load when they run.
cat >planted.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void planted(void) {
  FILE* const file = fopen(RAN, "a");
  if (file) fputs("a library\n", file), fclose(file);
}
C
"${CC:-cc}" -shared -fPIC -DRAN="\"$work/ran\"" planted.c -o planted.so || exit 1
objects=("$programs"/xformer-*)
[ ! -e "$programs/xformer_mpi.so" ] || objects+=("$programs/xformer_mpi.so")
ldd "${objects[@]}" | awk '$1 ~ /^lib/ { print $1 }' | sort -u >libraries
printf '%s\n' xformer_mpi.so lib{cublasLt,cudart}.so.1{2,13} libnccl.so.2 libcuda.so.1 libnvidia-ml.so.1 >>libraries
while read -r library; do
  for folder in . lib lib64; do cp planted.so "$hostile/$folder/$library"; done
done <libraries
claim "there is a library for each that is needed" test "$(wc -l <libraries)" -gt 20

# ---- every program, in a clean folder and in that one
mkdir clean
# Relative folders in variables of the environment, where ours would have absolute ones. The loader tells what it tries.
in_hostile() { # command...
  (cd "$hostile" && CUDA_HOME=. CUDA_PATH=lib HOME=$work/clean LD_DEBUG=libs LD_DEBUG_OUTPUT=$work/loader "$@" 2>"$work/err")
}
nothing_ran() {
  local found
  found=$(find "$work" -name shell)
  [ ! -e "$work/ran" ] && [ -z "$found" ] && return
  sort "$work/ran" 2>/dev/null | uniq -c | sed 's/^/        ran: /'
  [ -z "$found" ] || echo "        a shell has read the folder's name"
  find "$work" -name shell -delete
  rm -f "$work/ran"
  return 1
}
only_named_folders() { # of what the loader tried
  local others
  grep -q 'trying file=/' "$work"/loader.* || return 1
  others=$(sed -nE 's/.*trying file=($|[^/])/\1/p' "$work"/loader.* | sort -u)
  rm -f "$work"/loader.*
  equal "$(head -n 3 <<<"$others")" ""
}
as_elsewhere() { # command...
  equal "$(in_hostile "$@" && echo "ends with 0")" "$(cd clean && HOME=$work/clean "$@" 2>>"$work/err"; echo "ends with $?")" &&
    nothing_ran && only_named_folders
}

for program in "$programs"/xformer-*; do
  for option in --help --version --build-info; do
    claim "${program##*/} $option" as_elsewhere "$program" $option
  done
done
claim "xformer-vocab" as_elsewhere xformer-vocab encode -m "$work/run/vocab.spm" -i "$work/input"
claim "xformer-translate" as_elsewhere xformer-translate -m "$work/run" -i "$work/input" --quiet
claim "xformer-score" as_elsewhere xformer-score bleu "$work/test.de" -i "$work/test.en" --tokenize intl
claim "xformer-generate" as_elsewhere xformer-generate -m "$work/language_model" --samples 3 --seed 1
claim "xformer-classify" as_elsewhere xformer-classify -m "$work/classifier" -i "$work/input"
claim "xformer-export" as_elsewhere xformer-export inspect "$work/run"
claim "xformer-explain" as_elsewhere xformer-explain attention -m "$work/run" "the house" -f text
trains() { # launcher...
  rm -rf "$work/new"
  in_hostile "$@" xformer-train "${small[@]}" -t "$work/train.en" "$work/train.de" -m "$work/new" --after 2u --cpu-threads 1 \
    --quiet >"$work/out"
}
claim "xformer-train" trains
claim "runs nothing there" nothing_ran
claim "and looks for libraries in named folders only" only_named_folders

# ---- as processes of MPI: with what mpirun sets, and started by it
if [ -e "$programs/xformer_mpi.so" ] && command -v mpirun >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  alone() { ! trains env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$@"; } # launcher...
  claim "one of two processes is refused" alone
  claim "runs nothing there" nothing_ran
  claim "and looks for libraries in named folders only" only_named_folders
  # Where the system does not say where the program lies, the module's place beside it is not one beside the current folder.
  for folder in lib/xformer "lib/$(uname -m)-linux-gnu/xformer"; do
    mkdir -p "$work/$folder" && cp planted.so "$work/$folder/xformer_mpi.so"
  done
  if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
    without_proc() { alone unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' -; }
    claim "one that does not know where it lies is refused, too" without_proc
    claim "and says that there is no module" grep -q "xformer_mpi.so is missing" err
    claim "and runs nothing there" nothing_ran
  fi
  claim "mpirun starts two" trains mpirun --oversubscribe -n 2
  claim "which run nothing there" nothing_ran
  claim "and look for libraries in named folders only" only_named_folders
fi

# ---- the benchmarks, which start other programs
if [ -e "$programs/xformer-bench" ]; then
  bench() { in_hostile "${installed:-xformer-bench}" --samples 1 --threads 1 "$@" >"$work/out"; }
  bench_in_shared() { installed=$work/shared/prefix/bin/xformer-bench bench "$@"; }
  echo 'int nothing;' | "${CC:-cc}" -shared -fPIC -x c - -o kernel.so
  echo 'def softmax_forward(s, p): p[:] = s' >kernel.py
  cp -r "$hostile" plain
  for hostile in "$work/plain" "$hostile"; do # the other name is none that a git of a shell's would find
    claim "xformer-bench" bench --fn softmax_forward --preset odd --format json
    claim "runs nothing there" nothing_ran
    claim "nor describes what lies there" test "$(grep -oE '"commit": "[^"]*"' out)" != "\"commit\": \"$planted-dirty\""
  done
  claim "with PyTorch's kernels" bench --fn softmax_forward --preset odd --baseline torch
  claim "runs nothing there" nothing_ran
  claim "with PyTorch's step" bench --fn train_step --preset tiny --baseline torch
  claim "runs nothing there" nothing_ran
  claim "with CTranslate2" bench --end-to-end translate --model "$work/run" --input "$work/input" --beam 1 --mini-batch 1 \
    --baseline ctranslate2
  claim "runs nothing there" nothing_ran
  for kernel in kernel.so kernel.py; do
    bench --fn softmax_forward --shape N=3,D=4 --check-only --kernel "$work/$kernel"
    claim "with $kernel it runs nothing there" nothing_ran
  done
  # Installed below a folder in which everybody can make folders.
  mkdir -p shared/prefix/bin
  chmod 1777 shared
  cp "$programs/xformer-bench" shared/prefix/bin
  cp -r "$hostile"/{bench,build} shared
  claim "installed in a shared folder" bench_in_shared --fn softmax_forward --preset odd --baseline torch
  claim "it runs nothing of that" nothing_ran
  claim "and says what is wanted" grep -q "set XFORMER_PEERS_VENV" out
  XFORMER_PEERS_VENV=build/peers-venv
  export XFORMER_PEERS_VENV
  claim "with a relative XFORMER_PEERS_VENV" bench --fn softmax_forward --preset odd --baseline torch
  claim "it runs nothing there" nothing_ran
  claim "and says what is wanted" grep -q "set XFORMER_PEERS_VENV to the absolute path" out
  claim "and it looks for libraries in named folders only" only_named_folders
fi
conclude
