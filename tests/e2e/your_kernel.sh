#!/usr/bin/env bash
# docs/your_kernel.md: kernels in C that are right, wrong, or cheat.
#   your_kernel.sh FOLDER_OF_THE_PROGRAMS
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/e2e/support.sh
. "$root/tests/e2e/support.sh"
build() { # NAME SOURCE OPTIONS...
  local name=$1 source=$2
  shift 2
  "${CC:-cc}" -O2 -fopenmp -shared -fPIC -I header "$@" "$source" -o "$name.so" -lm
}
bench() { xformer-bench --fn layer_norm_forward --threads 1 "$@"; }
quick() { bench --warm --samples 2 --kernel-limit 20 --shape N=64,D=100 "$@"; }
right() { quick --check-only "$@" >/dev/null; }
sweep() { bench --warm --samples 2 --kernel layer_norm.so --shape "N=32,D=1:256:*4" --label "$work/sweep.json" >table; }

mkdir header
claim "the header is printed" sh -c 'xformer-bench --kernel-header >header/xformer_kernel.h'
claim "and is the repository's" same_bytes header/xformer_kernel.h "$root/bench/external/xformer_kernel.h"
claim "the page's LayerNorm compiles" build layer_norm "$root/docs/examples/kernels/layer_norm.c" -Wall -Wextra -Werror -ffast-math
claim "and has thirty lines" test "$(wc -l <"$root/docs/examples/kernels/layer_norm.c")" -le 30
claim "it is right, and timed at each shape of a sweep" sweep
claim "with a row for each" equal "$(grep -cE '^layer_norm_forward 32x(1|4|16|64|256) .* layer_norm\.so$' table)" 5
claim "its time is there" grep -qE '"baseline_s": [0-9.e-]+,' sweep.json
claim "its error, too" grep -qE '"error": [0-9.]+e-0[0-9],' sweep.json
claim "and the sizes" grep -q '"D": 256' sweep.json
mkdir 'a folder' && cp layer_norm.so 'a folder/layer norm.so'
claim "its path may have spaces" right --kernel 'a folder/layer norm.so'
claim "a page is drawn of it" xformer-bench report sweep.json --output page.html
claim "with both sides against D" sh -c 'grep -q "Against size" page.html && grep -q ">layer_norm.so<" page.html'
claim "bars beside each other" grep -q "Times as fast as the peer" page.html

fault() { build "$1" "$root/tests/bench/kernels/faulty.c" "-DFAULT=$1"; }
claim "a plain one builds" fault NONE
claim "and is right, though it prints" right --kernel NONE.so
for case in "WRONG:y is wrong: at \[0, 7\] .*times what is allowed" "KEPT:y is that of an earlier call" \
  "LATER:y is wrong, though its first call was right" "CRASH:ended by a signal: Segmentation fault" \
  "BEHIND:it wrote behind y" "INPUT:it changed its input gamma" "CODE:layer_norm_forward returned 7" \
  "EXIT:it ended; its last words: a kernel may print" "UNWRITTEN:rstd is wrong: at \[63\] -?nan, not"; do
  fault "${case%%:*}"
  claim "${case%%:*}: refused" refused 1 "${case%%:*}\.so: .*${case#*:}.*\(layer_norm_forward 64x100 f32\)" quick --kernel "${case%%:*}.so"
done
fault ENDLESS
claim "ENDLESS: refused" refused 1 "ENDLESS.so: no answer within 0.2 s" quick --kernel-limit 0.2 --kernel ENDLESS.so

claim "a library without the function tells what it has" refused 1 \
  "layer_norm.so: it has no function softmax_forward; it has: .*layer_norm_forward" \
  xformer-bench --kernel layer_norm.so --fn softmax_forward --shape N=3,D=4
echo 'void layer_norm_forward(const void*) {}' >mangled.cpp
"${CXX:-c++}" -shared -fPIC mangled.cpp -o mangled.so
claim "a C++ function is told of" refused 1 'declare it extern "C"' quick --kernel mangled.so
claim "what refuses a type is refused" refused 1 "layer_norm_forward returned 1" quick --kernel layer_norm.so --dtype bf16
echo nonsense >text.so
claim "what is no library" refused 1 "text.so: it cannot be loaded" quick --kernel text.so
claim "a command that answers otherwise" refused 1 "answers 'hello', which is no JSON object" quick --kernel 'echo hello; cat >/dev/null'
claim "one whose answer means nothing" refused 1 'makes no sense: \{"ready": 3\}' quick --kernel "echo '{\"ready\": 3}'; cat >/dev/null"
claim "one that says a time longer than it was waited for" refused 1 "says that it took 9e.06 s, and was waited for [0-9.e-]+ s" \
  quick --kernel "read -r open; echo '{\"ready\": \"x\"}'; read -r run; echo '{\"seconds\": 9e6}'; cat >/dev/null"
claim "one that refuses" refused 1 "not today" quick --kernel "echo '{\"refused\": \"not today\"}'; cat >/dev/null"
claim "a file that is not there: 3" refused 3 "there is no file nowhere.so" quick --kernel nowhere.so
claim "an unknown function: 2" refused 2 "not 'layer_nrom_forward'; did you mean 'layer_norm_forward'" \
  xformer-bench --kernel layer_norm.so --fn layer_nrom_forward
claim "no function: 2" refused 2 "--fn is to be the function that it computes" xformer-bench --kernel layer_norm.so
claim "another comparison beside it: 2" refused 2 "--kernel makes nothing of --baseline" quick --kernel layer_norm.so --baseline onednn
claim "sizes that are none: 2" refused 2 "needs D too" bench --kernel layer_norm.so --shape N=3
conclude
