#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/ceilings.h"
#include "bench/end_to_end.h"
#include "bench/process.h"
#include "bench/temporary_folder.h"
#include "bench/train_step.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {

namespace fs = std::filesystem;

// tok_per_s of each "train" event of a run's metrics.jsonl, in order.
std::vector<double> rates_of(const std::string& metrics) {
  std::ifstream file(metrics);
  std::vector<double> rates;
  for (std::string line; std::getline(file, line);) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", "") == "train")
      rates.push_back(event.value("tok_per_s", 0.0));
  }
  return rates;
}

constexpr int kWindow = 10;       // updates per line of metrics.jsonl
constexpr double kTokens = 4096;  // of a sample

// A training of xformer-train that goes on a stretch at a time, each in a process that continues
// the last one's run.
class Training {
 public:
  Training(const Request& request, const EndToEnd& options) {
    const auto text = [&](const std::string& name) {
      if (options.data.empty()) return multi30k(name);
      const std::string path = (fs::path(options.data) / name).string();
      if (!fs::exists(path)) fail(ErrorKind::data, "--data: there is no file {}", path);
      return path;
    };
    const std::string never = std::to_string(options.updates + 1) + "u";
    command_ = {program_beside_this("xformer-train"),
                "--task",
                "transformer-" + request.preset,
                "--train-sets",
                text("train.en"),
                text("train.de"),
                "--model",
                run(),
                "--disp-freq",
                std::to_string(kWindow) + "u",
                "--disp-first",
                "0",
                "--valid-freq",
                never,
                "--save-freq",
                never,
                "--device",
                xf::name_of(request.target.device),
                "--cpu-threads",
                std::to_string(thread_count()),
                "--precision",
                request.target.dtype == DType::bf16 ? "bfloat16" : "float32",
                "--after"};
  }

  // Goes on to that update. The rates of its windows but the first, in which a process gets going.
  std::vector<double> train_until(int64_t update) {
    std::vector<std::string> words = command_;
    words.push_back(std::to_string(update) + "u");
    Process process(words);
    process.finish();
    peak_bytes_ = std::max(peak_bytes_, process.peak_bytes());
    const auto known = static_cast<std::ptrdiff_t>(rates_.size());
    rates_ = rates_of(run() + "/metrics.jsonl");
    if (std::ssize(rates_) < known + 2) fail(ErrorKind::failure, "xformer-train reported too few windows");
    return {rates_.begin() + known + 1, rates_.end()};
  }
  const std::vector<double>& rates() const { return rates_; }
  double peak_bytes() const { return peak_bytes_; }

 private:
  std::string run() const { return (folder_.path() / "run").string(); }
  TemporaryFolder folder_;
  std::vector<std::string> command_;
  std::vector<double> rates_;
  double peak_bytes_ = 0;
};

double median_of(std::vector<double> values) { return Samples::of(std::move(values)).quantile(0.5); }

// The bare step and stretches of the training, in turn; seconds of kTokens.
Turns train_in_turn(Training& training, int64_t updates, const std::function<double()>& bare) {
  constexpr int64_t kMostStretches = 5, kShortest = 3 * kWindow;  // updates
  const int64_t stretches = std::clamp<int64_t>(updates / kShortest, 1, kMostStretches);
  int64_t stretch = 0;
  return take_turns(
      static_cast<int>(stretches),
      [&] { return kTokens / median_of(training.train_until(updates * ++stretch / stretches)); }, bare);
}

}  // namespace

double flatness(const std::vector<double>& rates) {
  constexpr size_t kFirst = 100 / kWindow, kFewest = 20;
  if (rates.size() < kFirst + kFewest) return kUnknown;
  const auto tenth = static_cast<int64_t>(rates.size() / 10);
  return median_of({rates.end() - tenth, rates.end()}) /
         median_of({rates.begin() + kFirst, rates.begin() + kFirst + tenth});
}

Results train_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress) {
  constexpr int64_t kFewest = 2 * kWindow;
  if (options.updates < kFewest)
    fail(ErrorKind::usage, "--updates {} are too few to time; at least {}", options.updates, kFewest);
  Training training(request, options);  // a text that is not there is told first
  const Machine machine = measure_machine(request.target.device, request.target.dtype);
  const Scope scope = scope_of(request.preset == "odd" ? "tiny" : request.preset, request.target);
  Results results{"", machine_info(request.target, machine, scope.model.name), {}};
  Row row = row_like(request, "train", fmt::format("{}, {} updates", scope.model.name, options.updates));
  row.tokens = kTokens;
  row.baseline = "bare step";
  Row bare;
  Samples of_bare;
  const auto time_bare = [&] {
    progress("train_step " + step_shape(scope.model));
    bare = train_step_row(scope.model, request.target, {.samples = step_samples(scope.model)}, 0);
    of_bare.add(bare.samples);
    progress(row.shape);
    return bare.median() * kTokens / bare.tokens;
  };
  progress(row.shape);
  reset_peak_resident();
  row.set_turns(train_in_turn(training, options.updates, time_bare));
  row.peak_bytes = training.peak_bytes();
  bare.samples = of_bare;
  set_step_floor(bare, scope.model, machine);
  if (request.baseline != "none")
    row.add_note("no baseline: " + request.baseline + " has no training program here");
  const double flat = flatness(training.rates());
  if (std::isfinite(flat))
    row.add_note(fmt::format("tokens/s at the end over that after update 100: {:.3f}", flat));
  results.rows = {row, bare};
  return results;
}

}  // namespace xf::bench
