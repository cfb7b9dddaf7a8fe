#include "tools/config/option_rows.h"

namespace xf::tools {
namespace {

std::vector<Row> row_options() {
  return {
      text("fn", "", "REGEX", "functions to time, a regular expression: train_step, layer_norm, linear_.*"),
      text("shape", "", "REGEX|SIZES",
           "shapes to time: a regular expression, 4088x128; or sizes by name, lists and ranges of them, "
           "N=4096,D=128,512 or N=4096,D=1:65536:*2"),
      choice("preset", "tiny|base|odd|gpt2|smollm2-135m|qwen3-0.6b|gemma2-2b|llama3.1-8b", "tiny",
             "shapes of a model's step, the tests' odd ones, or those of a language model's kernels"),
      choice("dtype", "f32|f64|bf16|int8", "f32",
             "type of the elements; int8: --end-to-end translate as with --precision int8"),
      text("device", "cpu", "cpu|cuda[:N]", "where to compute"),
      choice("baseline", "none|f32|floor|naive|onednn|cublaslt|cudnn|torch|ctranslate2", "none",
             "what to compare with; f32: ours in that type; floor: a step's, measured in turn with it"),
      integer("threads", "0", "N", "0: as many as OMP_NUM_THREADS says, or this process may use")
          .between(0, 1024),
      integer("samples", "0", "N", "samples per step, or per visit of a kernel; 0: by itself")
          .between(0, 1e9),
      flag("warm", "false", "leave inputs in the cache; else kernels rotate through more than fits"),
      flag("check", "false", "compare with the f64 definition first"),
      flag("check-only", "false", "compare with the f64 definition, and time nothing"),
      real("plant", "0", "X", "report every time longer by this share, to see --fail-if-regression notice")
          .between(0, 1000)
          .seldom(),
      flag("list", "false", "names and shapes only"),
      flag("count-launches", "false",
           "what a training step launches, read from its recorded graph; --device cuda"),
  };
}

std::vector<Row> kernel_options() {
  return {
      text("kernel", "", "FILE",
           "a kernel of yours for the function --fn, checked and timed in turn with ours: a C function in "
           "FILE.so, "
           "a Python one in FILE.py, or a command line that answers (docs/your_kernel.md)"),
      real("kernel-limit", "60", "SECONDS", "how long a call of it may take").between(0.001, 1e6),
      flag("kernel-header", "false",
           "print the C header for --kernel, xformer_kernel.h, and do nothing else"),
  };
}

std::vector<Row> result_options() {
  return {
      choice("format", "table|json|csv", "table", "form of the output"),
      flag("roofline", "false", "intensity of each row, and which ceiling is above it"),
      text("label", "", "LABEL",
           "store the results as bench/results/LABEL.json, or at a path that ends in .json"),
      flag("add", "false", "pool with what the label holds already, instead of replacing it"),
      flag("scaling", "false", "time per token against batch, sentence length, width and vocabulary"),
  };
}

std::vector<Row> comparison_options() {
  return {
      text("against", "", "PROGRAM", "another build of this program, timed in turn with it: what changed"),
      text("compare", "", "A,B", "two labels or files: what changed from A to B"),
      text("fail-if-regression", "", "5%",
           "exit code 1 if a row of --against or --compare is slower by more, or was not timed enough to "
           "tell"),
      choice("turns", "answer", "", "take turns with another build, which calls this one so for --against")
          .bare()
          .keeps(Keep::never)
          .seldom(),
  };
}

std::vector<Row> whole_options() {
  return {
      choice("end-to-end", "train|translate", "", "whole programs"),
      text("model", "", "DIR", "run folder to translate with; default: what tools/demo.sh left"),
      text("input", "", "FILE", "text to translate"),
      text("data", "", "DIR", "folder with train.en and train.de, to train on"),
      integer("beam", "5", "N", "width of the search; always also greedy").between(1, 64),
      integer("mini-batch", "128", "N", "sentences of a batch; always also one at a time")
          .between(1, kLargestBatch),
      integer("updates", "300", "N", "of end-to-end training").at_least(1),
  };
}

std::vector<Row> report_options() {
  return {
      text("results", "", "RESULTS...", "labels or files, the oldest first")
          .any_number()
          .bare()
          .keeps(Keep::never),
      text("output", "report.html", "FILE", "the page"),
  };
}

}  // namespace

OptionGroup benchmark_options() {
  return {{"what is timed", Program::bench, Keep::free, row_options()},
          {"a kernel of yours", Program::bench, Keep::free, kernel_options()},
          {"results", Program::bench, Keep::free, result_options()},
          {"before and after", Program::bench, Keep::free, comparison_options()},
          {"whole programs", Program::bench, Keep::free, whole_options()},
          {"report", Program::bench_report, Keep::free, report_options()}};
}

}  // namespace xf::tools
