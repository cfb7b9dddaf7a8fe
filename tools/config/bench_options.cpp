#include "tools/config/bench_options.h"

namespace xf::tools {

void list_options(BenchOptions& o, OptionList& list) {
  list.group("what is timed");
  list.add(o.fn, "fn", "REGEX", "functions to time, a regular expression: train_step, layer_norm, linear_.*");
  list.add(o.shape, "shape", "REGEX|SIZES",
           "shapes to time: a regular expression, 4088x128; or sizes by name, lists and ranges of them, "
           "N=4096,D=128,512 or N=4096,D=1:65536:*2");
  list.add_choice(o.preset, "preset", "tiny|base|odd|gpt2|smollm2-135m|qwen3-0.6b|gemma2-2b|llama3.1-8b",
                  "shapes of a model's step, the tests' odd ones, or those of a language model's kernels");
  list.add_choice(o.dtype, "dtype", "f32|f64|bf16|int8",
                  "type of the elements; int8: --end-to-end translate as with --precision int8");
  list.add(o.device, "device", "cpu|cuda[:N]", "where to compute");
  list.add_choice(o.baseline, "baseline", "none|f32|floor|naive|onednn|cublaslt|cudnn|torch|ctranslate2",
                  "what to compare with; f32: ours in that type; floor: a step's, measured in turn with it");
  list.add(o.threads, "threads", "N", "0: as many as OMP_NUM_THREADS says, or this process may use")
      .between(0, 1024);
  list.add(o.samples, "samples", "N", "samples per step, or per visit of a kernel; 0: by itself")
      .between(0, 1e9);
  list.add(o.warm, "warm", "leave inputs in the cache; else kernels rotate through more than fits");
  list.add(o.check, "check", "compare with the f64 definition first");
  list.add(o.check_only, "check-only", "compare with the f64 definition, and time nothing");
  list.add(o.plant, "plant", "X",
           "report every time longer by this share, to see --fail-if-regression notice")
      .between(0, 1000)
      .seldom();
  list.add(o.list, "list", "names and shapes only");
  list.add(o.count_launches, "count-launches",
           "what a training step launches, read from its recorded graph; --device cuda");
  list.group("a kernel of yours");
  list.add(o.kernel, "kernel", "FILE",
           "a kernel of yours for the function --fn, checked and timed in turn with ours: a C function "
           "in FILE.so, a Python one in FILE.py, or a command line that answers (docs/your_kernel.md)");
  list.add(o.kernel_limit, "kernel-limit", "SECONDS", "how long a call of it may take").between(0.001, 1e6);
  list.add(o.kernel_header, "kernel-header",
           "print the C header for --kernel, xformer_kernel.h, and do nothing else");
  list.group("results");
  list.add_choice(o.format, "format", "table|json|csv", "form of the output");
  list.add(o.roofline, "roofline", "intensity of each row, and which ceiling is above it");
  list.add(o.label, "label", "LABEL",
           "store the results as bench/results/LABEL.json, or at a path that ends in .json");
  list.add(o.add, "add", "pool with what the label holds already, instead of replacing it");
  list.add(o.scaling, "scaling", "time per token against batch, sentence length, width and vocabulary");
  list.group("before and after");
  list.add(o.against, "against", "PROGRAM",
           "another build of this program, timed in turn with it: what changed");
  list.add(o.compare, "compare", "A,B", "two labels or files: what changed from A to B");
  list.add(o.fail_if_regression, "fail-if-regression", "5%",
           "exit code 1 if a row of --against or --compare is slower by more, "
           "or was not timed enough to tell");
  list.add_choice(o.turns, "turns", "answer",
                  "take turns with another build, which calls this one so for --against")
      .bare()
      .keeps(Keep::never)
      .seldom();
  list.group("whole programs");
  list.add_choice(o.end_to_end, "end-to-end", "train|translate", "whole programs");
  list.add(o.model, "model", "DIR", "run folder to translate with; default: what tools/demo.sh left");
  list.add(o.input, "input", "FILE", "text to translate");
  list.add(o.data, "data", "DIR", "folder with train.en and train.de, to train on");
  list.add(o.beam, "beam", "N", "width of the search; always also greedy").between(1, 64);
  list.add(o.mini_batch, "mini-batch", "N", "sentences of a batch; always also one at a time")
      .between(1, kLargestBatch);
  list.add(o.updates, "updates", "N", "of end-to-end training").at_least(1);
}

void list_options(BenchReportOptions& o, OptionList& list) {
  list.group("report");
  list.add(o.results, "results", "RESULTS...", "labels or files, the oldest first")
      .any_number()
      .bare()
      .keeps(Keep::never);
  list.add(o.output, "output", "FILE", "the page");
}

}  // namespace xf::tools
