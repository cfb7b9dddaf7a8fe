// xformer-bench: the engine's kernels, training step, training and translation, timed against this machine's
// floor and against peers.
#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "bench/comparison.h"
#include "bench/end_to_end.h"
#include "bench/output.h"
#include "bench/peers.h"
#include "bench/report.h"
#include "bench/runner.h"
#include "bench/scaling.h"
#include "bench/turns.h"
#include "core/parallel.h"
#include "tools/build_info.h"
#include "tools/nearest_name.h"

namespace xf::bench {
namespace {

struct Options {
  Request request;
  std::string dtype = "f32", device = "cpu", format = "table", label, compare, against, threshold;
  int threads = 0;
  bool list = false, add = false, scaling = false, roofline = false, warm = false;
  std::string end_to_end;
  EndToEnd whole;
  std::vector<std::string> results;
  std::string output = "report.html";
};

// One of `names`, or a usage error with the nearest one.
CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[names](std::string& value) {
            for (const std::string& name : names) {
              if (name == value) return std::string();
            }
            return fmt::format("'{}' is none of {}{}", value, fmt::join(names, ", "),
                               tools::did_you_mean(value, names));
          },
          fmt::format("{}", fmt::join(names, "|"))};
}

void add_choice(CLI::App& app, Options& o) {
  app.add_option("--fn", o.request.fn,
                 "Functions to time, a regular expression (train_step, layer_norm, linear_.*)");
  app.add_option("--shape", o.request.shape, "Shapes to time, a regular expression (4088x128)");
  app.add_option("--preset", o.request.preset, "Shapes of a model's step, or the tests' odd ones")
      ->check(one_of(preset_names()));
  app.add_option("--dtype", o.dtype, "Element type")->check(one_of({"f32", "f64", "bf16"}));
  app.add_option("--device", o.device, "cpu, cuda or cuda:N");
  app.add_option("--baseline", o.request.baseline, "What to compare with")->check(one_of(baseline_names()));
  app.add_option("--threads", o.threads, "0: as many as this process may use");
  app.add_option("--samples", o.request.timer.samples,
                 "Samples per step, or per visit of a kernel; 0: by itself")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--plant", o.request.timer.planted,
                 "Report every time longer by this share, to see --fail-if-regression notice")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--warm", o.warm,
               "Leave inputs in the cache; otherwise kernels rotate through more than fits");
  app.add_flag("--check", o.request.check, "Compare with the f64 definition first");
  app.add_flag("--list", o.list, "Names and shapes only");
}

void add_modes(CLI::App& app, Options& o) {
  app.add_option("--format", o.format, "How to print")->check(one_of({"table", "json", "csv"}));
  app.add_flag("--roofline", o.roofline, "Intensity of each row, and which ceiling is above it");
  app.add_option("--label", o.label,
                 "Store the results as bench/results/LABEL.json, or at a path that ends in .json");
  app.add_flag("--add", o.add, "Pool with what the label holds already, instead of replacing it");
  CLI::Option* const compare =
      app.add_option("--compare", o.compare, "Two labels or files, A,B: what changed from A to B");
  CLI::Option* const against = app.add_option(
      "--against", o.against, "Another build of this program, timed in turn with it: what changed");
  app.add_option("--fail-if-regression", o.threshold,
                 "Exit with 1 if a row of --against or --compare is slower by more (5%)");
  app.add_flag("--scaling", o.scaling, "Time per token against batch, sentence length, width and vocabulary");
  app.add_option("--end-to-end", o.end_to_end, "Whole programs")->check(one_of({"train", "translate"}));
  app.add_option("--model", o.whole.model,
                 "Run folder to translate with; without it, what tools/demo.sh left");
  app.add_option("--input", o.whole.input, "Text to translate");
  app.add_option("--data", o.whole.data, "Folder with train.en and train.de, to train on");
  app.add_option("--beam", o.whole.beam, "Width of the search; always also greedy")
      ->check(CLI::PositiveNumber);
  app.add_option("--mini-batch", o.whole.sentences, "Sentences of a batch; always also one at a time")
      ->check(CLI::PositiveNumber);
  app.add_option("--updates", o.whole.updates, "Of end-to-end training")->check(CLI::PositiveNumber);
  // What a comparison would leave undone is refused.
  for (const char* const other : {"--label", "--format", "--roofline", "--baseline", "--scaling",
                                  "--end-to-end", "--check", "--samples", "--add"}) {
    compare->excludes(app.get_option(other));
    against->excludes(app.get_option(other));
  }
  compare->excludes(against);
}

void print(const Results& results, const Options& o) {
  if (o.format == "json") {
    fmt::print("{}", to_json(results));
  } else if (o.format == "csv") {
    fmt::print("{}", to_csv(results));
  } else {
    fmt::print("{}", o.roofline ? to_roofline(results) : to_table(results));
  }
}

// The exit code with which --fail-if-regression answers.
int tell(const Comparison& comparison, const Options& o) {
  constexpr double kDefaultThreshold = 0.05;
  const double threshold = o.threshold.empty() ? kDefaultThreshold : threshold_of(o.threshold);
  if (comparison.rows.empty()) fail(ErrorKind::failure, "nothing to compare: no row is in both");
  const int slower = regressions(comparison, threshold);
  fmt::print("{}{} of {} rows slower by more than {:.3g} %\n", to_text(comparison, threshold), slower,
             comparison.rows.size(), 100 * threshold);
  return !o.threshold.empty() && slower > 0 ? static_cast<int>(ErrorKind::failure) : 0;
}

int compare_labels(const Options& o) {
  const size_t comma = o.compare.find(',');
  if (comma == std::string::npos)
    fail(ErrorKind::usage, "--compare: two labels with a comma between, not '{}'", o.compare);
  return tell(compare(load(o.compare.substr(0, comma)), load(o.compare.substr(comma + 1))), o);
}

// Which row is being timed, on one line of the terminal; nothing where nobody watches.
void show_progress(const std::string& what) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", what);
}

DType dtype_called(const std::string& name) {
  if (name == "f64") return DType::f64;
  return name == "bf16" ? DType::bf16 : DType::f32;
}

Results measured(const Options& o, const Keep& keep) {
  if (o.end_to_end == "train") return train_end_to_end(o.request, o.whole, show_progress);
  if (o.end_to_end == "translate") return translate_end_to_end(o.request, o.whole, show_progress);
  return o.scaling ? run_scaling(o.request, show_progress) : run(o.request, show_progress, keep);
}

int measure(const Options& o) {
  if (o.add && o.label.empty()) fail(ErrorKind::usage, "--add needs --label");
  const bool adds = o.add && std::filesystem::exists(result_path(o.label));
  const Results older = adds ? load(o.label) : Results();
  const auto labelled = [&](Results results) {
    results.label = o.label;
    return adds ? pooled(older, results) : results;
  };
  const Results results = labelled(measured(o, [&](const Results& so_far) {
    if (!o.label.empty()) store_part(labelled(so_far));
  }));
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  if (!o.label.empty()) store(results);
  print(results, o);
  return 0;
}

int compare_builds(const Options& o) {
  if (!o.threshold.empty()) threshold_of(o.threshold);  // wrong ones are told before minutes have passed
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  const Comparison comparison = compare_in_turn(o.request, o.against, own, show_progress);
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  return tell(comparison, o);
}

// Everything that times: for another program, for a list of what would be, against another build, or by
// itself.
int time_rows(Options& o, bool for_another) {
  o.request.target = {choose_device(o.device).device, dtype_called(o.dtype)};
  o.request.timer.cold = !o.warm;
  set_thread_count(o.threads);
  if (for_another) {
    answer_turns(o.request, std::cin, std::cout);
    return 0;
  }
  if (o.list) {
    fmt::print("{}", list(o.request));
    return 0;
  }
  return o.against.empty() ? measure(o) : compare_builds(o);
}

// The option that an unknown one was probably meant to be.
std::string hint_for(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back(option->get_name());
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i], name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::find(names.begin(), names.end(), name) != names.end()) continue;
    return tools::did_you_mean(name, names);
  }
  return "";
}

int main_of(int argc, char** argv) {
  Options o;
  CLI::App app("Times the engine against this machine's floor and against peers", "xformer-bench");
  app.set_version_flag("--version", tools::version_line("xformer-bench"));
  add_choice(app, o);
  add_modes(app, o);
  CLI::App* const report = app.add_subcommand("report", "A page of results: rooflines, peers, history");
  report->add_option("RESULTS", o.results, "Labels or files, the oldest first")->required();
  report->add_option("--output", o.output, "The page");
  CLI::App* const answer =
      app.add_subcommand("answer", "Takes turns with another one, which asks for it by --against");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    const std::string hint = hint_for(app, argc, argv);
    fail(ErrorKind::usage, "{}{}", error.what(), hint);
  }
  if (!o.threshold.empty() && o.compare.empty() && o.against.empty())
    fail(ErrorKind::usage, "--fail-if-regression needs --against PROGRAM or --compare A,B");
  if (report->parsed()) {
    write_report(o.results, o.output);
    return 0;
  }
  return o.compare.empty() ? time_rows(o, answer->parsed()) : compare_labels(o);
}

}  // namespace
}  // namespace xf::bench

int main(int argc, char** argv) {
  try {
    return xf::bench::main_of(argc, argv);
  } catch (const xf::Error& error) {
    fmt::print(stderr, "xformer-bench: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "xformer-bench: {}\n", error.what());
    return 1;
  }
}
