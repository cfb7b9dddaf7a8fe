// xformer-bench: the engine's kernels, training step, training and translation, timed against this
// machine's floor and against peers.
#include <fmt/ranges.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <string>

#include "bench/comparison.h"
#include "bench/end_to_end.h"
#include "bench/external/kernel_host.h"
#include "bench/external/kernel_process.h"
#include "bench/external/signature.h"
#include "bench/launches.h"
#include "bench/markdown.h"
#include "bench/model_sizes.h"
#include "bench/output.h"
#include "bench/report.h"
#include "bench/runner.h"
#include "bench/scaling.h"
#include "bench/turns.h"
#include "core/parallel.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/console/main.h"
#include "tools/console/nearest_name.h"

namespace xf::bench {
namespace {

using tools::BenchOptions;
using tools::BenchReportOptions;
using tools::options_of;

DType dtype_called(const std::string& name) {
  if (name == "f64") return DType::f64;
  return name == "bf16" ? DType::bf16 : DType::f32;
}

Request request_of(const BenchOptions& options) {
  Request request;
  request.fn = options.fn;
  request.shape = options.shape;
  request.kernel = options.kernel;
  request.kernel_limit_s = options.kernel_limit;
  request.preset = options.preset;
  request.target = {choose_device(options.device).device, dtype_called(options.dtype)};
  request.baseline = options.baseline;
  request.times = !options.check_only;
  request.check = options.check || !request.times;
  request.timer.samples = static_cast<int>(options.samples);
  request.timer.cold = !options.warm;
  request.timer.slowdown = options.inject_slowdown;
  return request;
}

EndToEnd whole_of(const BenchOptions& options) {
  return {.model = options.model,
          .input = options.input,
          .data = options.data,
          .beam = options.beam,
          .sentences = options.mini_batch,
          .updates = options.updates,
          .int8 = options.dtype == "int8"};
}

// A flag that is set, or another option that is given.
bool is_asked_for(const BenchOptions& options, const std::string& name) {
  const std::string value = options_of(options).at(name).text();
  return options.is_given(name) && value != "false";
}

void refuse_beside(const BenchOptions& options, const std::string& mode, const std::string& other) {
  if (is_asked_for(options, mode) && is_asked_for(options, other))
    fail(ErrorKind::usage, "--{} makes nothing of --{}; leave out one of them", mode, other);
}

// What a comparison would leave undone is refused.
void check_comparison(const BenchOptions& options) {
  if (!options.compare.empty() && !options.against.empty())
    fail(ErrorKind::usage, "--compare reads results and --against times: leave out one of them");
  for (const char* const comparing : {"compare", "against"}) {
    for (const char* const other :
         {"label", "format", "roofline", "baseline", "scaling", "end-to-end", "check", "samples", "add"})
      refuse_beside(options, comparing, other);
  }
  for (const char* const other :
       {"fn", "shape", "preset", "dtype", "device", "threads", "warm", "inject-slowdown"})
    refuse_beside(options, "compare", other);  // which only reads
  if (options.fail_if_regression.empty()) return;
  if (options.compare.empty() && options.against.empty())
    fail(ErrorKind::usage, "--fail-if-regression needs --against PROGRAM or --compare A,B");
  threshold_of(options.fail_if_regression);  // a wrong one is told before minutes have passed
}

// A kernel from elsewhere is compared with ours, and nothing else.
void check_kernel(const BenchOptions& options) {
  for (const char* const other :
       {"baseline", "scaling", "end-to-end", "against", "compare", "check", "count-launches", "turns"})
    refuse_beside(options, "kernel", other);
}

// What a list, a count, a curve or a whole program would leave undone, and what belongs to whole
// programs only.
void check_modes(const BenchOptions& options) {
  struct Mode {
    const char* name;
    std::vector<const char*> without;
  };
  static const std::vector<Mode> modes = {
      {"list",
       {"format", "roofline", "label", "add", "check", "check-only", "count-launches", "scaling",
        "end-to-end", "against", "compare"}},
      {"count-launches",
       {"fn", "shape", "format", "roofline", "label", "add", "check", "check-only", "scaling", "end-to-end",
        "against", "compare"}},
      {"scaling", {"fn", "shape", "preset", "baseline", "check", "check-only", "end-to-end"}},
      {"end-to-end", {"fn", "shape", "check", "check-only"}}};
  for (const auto& [mode, without] : modes) {
    for (const char* const other : without) refuse_beside(options, mode, other);
  }
  const std::string whole = options.end_to_end;
  for (const char* const only_translate : {"model", "input", "beam", "mini-batch"}) {
    if (whole != "translate" && options.is_given(only_translate))
      fail(ErrorKind::usage, "--{} is for --end-to-end translate", only_translate);
  }
  for (const char* const only_train : {"data", "updates"}) {
    if (whole != "train" && options.is_given(only_train))
      fail(ErrorKind::usage, "--{} is for --end-to-end train", only_train);
  }
}

void print(const Results& results, const BenchOptions& options) {
  const std::string& format = options.format;
  if (format == "json") {
    fmt::print("{}", to_json(results));
  } else if (format == "csv") {
    fmt::print("{}", to_csv(results));
  } else {
    fmt::print("{}", options.roofline ? to_roofline(results) : to_table(results));
  }
}

// The exit code with which --fail-if-regression answers.
int tell(const Comparison& comparison, const BenchOptions& options) {
  constexpr double kDefaultThreshold = 0.05;
  const bool may_fail = !options.fail_if_regression.empty();
  const double threshold = may_fail ? threshold_of(options.fail_if_regression) : kDefaultThreshold;
  if (comparison.rows.empty()) fail(ErrorKind::failure, "nothing to compare: no row is in both");
  const int slower = regressions(comparison, threshold);
  fmt::print("{}{} of {} rows slower by more than {:.3g} %\n", to_text(comparison, threshold), slower,
             comparison.rows.size(), 100 * threshold);
  const std::vector<std::string> unknown = unproven(comparison);
  if (!unknown.empty())
    fmt::print("nothing is known of {}: in one run only, or fewer than 5 samples\n",
               fmt::join(unknown, "; "));
  return may_fail && (slower > 0 || !unknown.empty()) ? static_cast<int>(ErrorKind::failure) : 0;
}

int compare_labels(const BenchOptions& options) {
  const std::string& labels = options.compare;
  const size_t comma = labels.find(',');
  if (comma == std::string::npos)
    fail(ErrorKind::usage, "--compare: two labels with a comma between, not '{}'", labels);
  return tell(compare(load(labels.substr(0, comma)), load(labels.substr(comma + 1))), options);
}

// Which row is being timed, on one line of the terminal, which "" clears; nothing where nobody
// watches.
Progress progress_of(const BenchOptions& options) {
  if (options.quiet || !isatty(STDERR_FILENO)) return [](const std::string&) {};
  return [](const std::string& what) { fmt::print(stderr, "\r\033[K{}", what); };
}

Results measured(const BenchOptions& options, const Request& request, const Progress& progress,
                 const Keep& keep) {
  const std::string whole = options.end_to_end;
  if (options.dtype == "int8" && whole != "translate")
    fail(ErrorKind::usage,
         "--dtype int8 is for --end-to-end translate; --fn quantized_linear times the product");
  if (!whole.empty() && is_language_model(request.preset))
    fail(ErrorKind::usage, "--preset {} has kernels only; take tiny or base for --end-to-end",
         request.preset);
  if (whole == "train") return train_end_to_end(request, whole_of(options), progress);
  if (whole == "translate") return translate_end_to_end(request, whole_of(options), progress, keep);
  return options.scaling ? run_scaling(request, progress, keep) : run(request, progress, keep);
}

int measure(const BenchOptions& options, const Request& request) {
  const std::string label = options.label;
  if (options.add && label.empty()) fail(ErrorKind::usage, "--add needs --label");
  const bool adds = options.add && std::filesystem::exists(result_path(label));
  const Results older = adds ? load(label) : Results();
  const auto labelled = [&](Results results) {
    results.label = label;
    return adds ? pooled(older, results) : results;
  };
  // A label that cannot be stored, or added to, is told before minutes have passed.
  if (!label.empty()) {
    labelled({"", machine_info(request.target, Machine(), request.preset), {}});
    check_storable(label);
  }
  const Progress progress = progress_of(options);
  const Results results = labelled(measured(options, request, progress, [&](const Results& so_far) {
    if (!label.empty()) store_part(labelled(so_far));
  }));
  progress("");
  print(results, options);
  if (!label.empty()) store(results);
  return 0;
}

int compare_builds(const BenchOptions& options, const Request& request) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  const Progress progress = progress_of(options);
  const Comparison comparison = compare_in_turn(request, options.against, own, progress);
  progress("");
  return tell(comparison, options);
}

// Everything that times: for another program, for a list of what would be, against another build,
// or by itself.
int time_rows(const BenchOptions& options) {
  const Request request = request_of(options);
  set_thread_count(static_cast<int>(options.threads));
  if (!options.turns.empty()) {
    answer_turns(request, std::cin, std::cout);
    return 0;
  }
  if (options.list) {
    fmt::print("{}", list(request));
    return 0;
  }
  if (options.count_launches) {
    fmt::print("{}", count_launches(request));
    return 0;
  }
  return !options.against.empty() ? compare_builds(options, request) : measure(options, request);
}

int report(int argc, char** argv) {
  const auto options = tools::parse_options(BenchReportOptions(), argc, argv);
  if (!options) return 0;
  options_of(*options).require("results");
  if (options->markdown) {
    if (options->is_given("output"))
      fail(ErrorKind::usage, "--markdown prints tables and makes nothing of --output");
    std::vector<Results> runs;
    for (const std::string& label : options->results) runs.push_back(load(label));
    fmt::print("{}", to_markdown(std::move(runs)));
    return 0;
  }
  tools::check_ending(options->output, "html");
  write_report(options->results, options->output);
  return 0;
}

// Answers with what a C kernel does; what it prints itself goes to the standard error.
int host(int argc, char** argv) {
  if (argc != 3) fail(ErrorKind::usage, "{} is for --kernel to call, with a library", kHostCommand);
  std::ofstream answers(fmt::format("/dev/fd/{}", dup(STDOUT_FILENO)));
  dup2(STDERR_FILENO, STDOUT_FILENO);
  host_kernel(argv[2], std::cin, answers);
  return 0;
}

// `report` is a command; `answer` stands behind its options, where builds of other versions look
// for it, too.
int bench_program(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "report") return report(argc - 1, argv + 1);
  if (first == kHostCommand) return host(argc, argv);
  if (!first.empty() && !first.starts_with('-') && first != "answer")
    fail(ErrorKind::usage, "xformer-bench has no command '{}'{}", first,
         tools::did_you_mean(first, {"report"}));
  const auto options = tools::parse_options(BenchOptions(), argc, argv);
  if (!options) return 0;
  if (options->kernel_header) {
    fmt::print("{}", c_header());
    return 0;
  }
  check_comparison(*options);
  check_kernel(*options);
  check_modes(*options);
  try {
    return !options->compare.empty() ? compare_labels(*options) : time_rows(*options);
  } catch (const std::bad_alloc&) {
    fail(ErrorKind::resources, "out of memory; take a smaller --shape, --preset or --mini-batch");
  }
}

}  // namespace
}  // namespace xf::bench

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::bench::bench_program); }
