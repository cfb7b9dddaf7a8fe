#include "bench/end_to_end.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "bench/ceilings.h"
#include "bench/peers.h"
#include "bench/process.h"
#include "bench/train_step.h"
#include "core/parallel.h"

namespace xf::bench {

namespace {

namespace fs = std::filesystem;

// Beside this program.
std::string program(const std::string& name) {
  const fs::path path = fs::read_symlink("/proc/self/exe").parent_path() / name;
  if (!fs::exists(path)) fail(ErrorKind::usage, "{} is missing; build it first", path.string());
  return path.string();
}

// A file of Multi30k, from $XFORMER_MULTI30K or beside the repository.
std::string multi30k(const std::string& name) {
  const char* const told = std::getenv("XFORMER_MULTI30K");
  const fs::path folder =
      told ? fs::path(told) : fs::path(repository_root()) / ".." / "shared" / "data" / "multi30k";
  if (!fs::exists(folder / name)) {
    fail(ErrorKind::data, "no {} in {}; say which text with --input or --data, or set XFORMER_MULTI30K", name,
         folder.string());
  }
  return fs::canonical(folder / name).string();
}

Row row_like(const Request& request, const std::string& fn, const std::string& shape) {
  Row row;
  row.fn = fn;
  row.shape = shape;
  row.dtype = xf::name_of(request.target.dtype);
  row.device = xf::name_of(request.target.device);
  return row;
}

struct Translation {
  std::string model, input;
  int64_t beam, batch_words;
};

// One run of xformer-translate; adds to `row` what it says about itself.
void translate_once(const Request& request, const Translation& t, Row& row) {
  std::vector<std::string> command = {program("xformer-translate"),
                                      "--model",
                                      t.model,
                                      "--input",
                                      t.input,
                                      "--output",
                                      "/dev/null",
                                      "--beam-size",
                                      std::to_string(t.beam),
                                      "--device",
                                      xf::name_of(request.target.device),
                                      "--cpu-threads",
                                      std::to_string(thread_count())};
  if (request.target.dtype == DType::bf16) command.insert(command.end(), {"--precision", "bfloat16"});
  if (t.batch_words == 1) command.insert(command.end(), {"--mini-batch", "1"});
  reset_peak_resident();  // a child's peak begins at its parent's
  const Neighbours neighbours;
  Process process(command);
  process.finish();
  const Translated result = translated(process.messages());
  row.tokens = result.tokens;
  row.samples.add({{result.seconds}, neighbours.disturbed() ? 1 : 0});
  row.peak_bytes = std::max(row.peak_bytes, process.peak_bytes());
}

PeerTime ctranslate2(const Translation& t, int samples) {
  try {
    Process process({peers_python(), peer_script("ctranslate2_translate.py"), "--model", t.model, "--input",
                     t.input, "--beam", std::to_string(t.beam),
                     t.batch_words == 1 ? "--batch-size" : "--batch-words", std::to_string(t.batch_words),
                     "--threads", std::to_string(thread_count()), "--samples", std::to_string(samples)},
                    {{"OMP_NUM_THREADS", std::to_string(thread_count())}});
    return peer_time("ctranslate2", process.finish());
  } catch (const Error& error) {
    return PeerTime::absent(error.what());
  }
}

// Ours, peer, ours again. The peer's time is brought to our number of tokens: what is compared is tokens per
// second.
Row translate_row(const Request& request, const Translation& t, const Progress& progress) {
  const int samples = request.timer.samples > 0 ? request.timer.samples : 5;
  Row row = row_like(
      request, "translate",
      fmt::format("{} beam {} batch {}", fs::path(t.input).filename().string(), t.beam, t.batch_words));
  const auto ours = [&] {
    for (int i = 0; i < samples; ++i) {
      progress(fmt::format("translate, beam {}, {} of {}", t.beam, i + 1, samples));
      translate_once(request, t, row);
    }
  };
  ours();
  if (request.baseline == "none") return row;
  PeerTime peer = PeerTime::absent(request.baseline + " is no peer in translation");
  progress(request.baseline);
  if (request.baseline == "ctranslate2") peer = ctranslate2(t, samples);
  row.baseline = peer.why_not.empty() ? peer.name : request.baseline;
  if (!peer.why_not.empty()) {
    row.add_note("no baseline: " + peer.why_not);
    return row;
  }
  row.baseline_s = peer.median_s * (peer.tokens > 0 ? row.tokens / peer.tokens : 1);
  const double first = row.median();
  const Samples before = std::exchange(row.samples, {});
  ours();
  note_drift(row, first, row.median());
  row.samples.add(before);
  row.add_note(fmt::format("{:.0f} tokens, the peer {:.0f}", row.tokens, peer.tokens));
  return row;
}

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

// A folder that goes with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "xformer-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) fail(ErrorKind::resources, "{} cannot be made", name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr int kWindow = 10;       // updates per line of metrics.jsonl
constexpr double kTokens = 4096;  // of a sample

std::vector<double> train(const Request& request, const EndToEnd& options, Row& row) {
  const TemporaryFolder folder;
  const auto text = [&](const std::string& name) {
    return options.data.empty() ? multi30k(name) : (fs::path(options.data) / name).string();
  };
  const std::string never = std::to_string(options.updates + 1) + "u", run = (folder.path() / "run").string();
  reset_peak_resident();
  Process process({program("xformer-train"),
                   "--task",
                   "transformer-" + request.preset,
                   "--train-sets",
                   text("train.en"),
                   text("train.de"),
                   "--model",
                   run,
                   "--after",
                   std::to_string(options.updates) + "u",
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
                   request.target.dtype == DType::bf16 ? "bfloat16" : "float32"});
  process.finish();
  row.peak_bytes = process.peak_bytes();
  return rates_of(run + "/metrics.jsonl");
}

}  // namespace

Translated translated(const std::string& messages) {
  static const std::regex line("(\\d+) lines, (\\d+) tokens in [0-9.]+ s \\((\\d+) tokens/s\\)");
  std::smatch found;
  if (!std::regex_search(messages, found, line))
    fail(ErrorKind::failure, "xformer-translate said no speed: {}", messages);
  const double tokens = std::stod(found[2]);
  return {tokens, tokens / std::stod(found[3])};
}

double flatness(const std::vector<double>& rates) {
  constexpr size_t kFirst = 100 / kWindow, kFewest = 20;
  if (rates.size() < kFirst + kFewest) return kUnknown;
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return Samples{values, 0}.quantile(0.5);
  };
  const auto tenth = static_cast<int64_t>(rates.size() / 10);
  return median({rates.end() - tenth, rates.end()}) /
         median({rates.begin() + kFirst, rates.begin() + kFirst + tenth});
}

Results translate_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress) {
  if (options.model.empty())
    fail(ErrorKind::usage, "--end-to-end translate needs --model RUN, a trained run folder");
  const Machine machine = measure_machine(request.target.device, request.target.dtype);
  Results results{"", make_header(request.target, machine, request.preset), {}};
  results.header.emplace_back("model", options.model);
  Translation t{options.model, options.input.empty() ? multi30k("test_2016_flickr.en") : options.input,
                options.beam, options.batch_words};
  results.rows.push_back(translate_row(request, t, progress));
  if (t.beam > 1) {
    t.beam = 1;
    results.rows.push_back(translate_row(request, t, progress));
  }
  return results;
}

Results train_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress) {
  const Machine machine = measure_machine(request.target.device, request.target.dtype);
  const Scope scope = scope_of(request.preset == "odd" ? "tiny" : request.preset, request.target);
  Results results{"", make_header(request.target, machine, scope.model.name), {}};
  progress("train_step " + scope.model.name);
  reset_peak_resident();
  Row bare = train_step_row(scope.model, request.target, {.samples = step_samples(scope.model)}, 0);
  set_step_floor(bare, scope.model, machine);
  Row row = row_like(request, "train", fmt::format("{}, {} updates", scope.model.name, options.updates));
  row.tokens = kTokens;
  progress(fmt::format("xformer-train, {} updates", options.updates));
  const std::vector<double> rates = train(request, options, row);
  for (const double rate : rates) row.samples.add({{kTokens / rate}, 0});
  if (request.baseline != "none")
    row.add_note("no baseline: " + request.baseline + " has no training program here");
  row.add_note(fmt::format("{:.1f} % of the bare step's tokens/s",
                           100 * (kTokens / row.median()) / (bare.tokens / bare.median())));
  const double flat = flatness(rates);
  if (std::isfinite(flat))
    row.add_note(fmt::format("tokens/s at the end over that after update 100: {:.3f}", flat));
  results.rows = {row, bare};
  return results;
}

}  // namespace xf::bench
