#include "bench/end_to_end.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/ceilings.h"
#include "bench/peers.h"
#include "bench/process.h"
#include "bench/train_step.h"
#include "core/parallel.h"
#include "data/batches.h"
#include "data/text_file.h"
#include "nn/search.h"
#include "tools/loaded_model.h"
#include "tools/translator.h"

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

// Where no model is given: the demo's and the sentences that it has not seen (tools/demo.sh).
EndToEnd with_model_and_text(EndToEnd options) {
  const fs::path demo = fs::path(repository_root()) / "build" / "demo";
  if (options.model.empty()) {
    options.model = (demo / "run").string();
    if (!fs::exists(options.model)) {
      fail(ErrorKind::usage,
           "--end-to-end translate needs --model RUN, a trained run folder; tools/demo.sh makes {}",
           options.model);
    }
    if (options.input.empty()) options.input = (demo / "corpus" / "test.en").string();
  }
  if (options.input.empty()) options.input = multi30k("test_2016_flickr.en");
  return options;
}

// One way to translate.
struct Decoding {
  int64_t beam;
  int64_t sentences;  // of a batch
};

// What was asked for, and 1: greedy, or one sentence at a time.
std::vector<int64_t> and_one(int64_t asked) {
  return asked == 1 ? std::vector<int64_t>{1} : std::vector<int64_t>{asked, 1};
}

Row row_like(const Request& request, const std::string& fn, const std::string& shape) {
  Row row;
  row.fn = fn;
  row.shape = shape;
  row.dtype = xf::name_of(request.target.dtype);
  row.device = xf::name_of(request.target.device);
  return row;
}

// A trained model and a text as ids: what is timed lies between ids and ids, as in CTranslate2's
// translate_batch().
class Translation {
 public:
  Translation(const EndToEnd& options, const tests::Target& target)
      : model_(tools::load_model(options.model, target.device, target.dtype)), arena_(target.device) {
    data::LineReader reader(options.input);
    for (std::string line; reader.next(line);)
      sources_.push_back(model_->vocabularies.source->encode(model_->pipeline.prepare(line)));
  }

  // Number of generated tokens, each sentence's </s> among them.
  double run(const Decoding& decoding) {
    const nn::Search search(*model_->transformer, arena_,
                            tools::with_specials({.beam_size = decoding.beam}, *model_->vocabularies.target));
    int64_t tokens = 0;
    for (const data::IndexedBatch& batch :
         data::translation_batches(sources_, model_->vocabularies.source->eos_id(),
                                   tools::kSourceTokensPerBatch, decoding.sentences)) {
      for (const auto& found : search.translate(batch.batch))
        tokens += static_cast<int64_t>(found.front().ids.size()) + 1;
    }
    return static_cast<double>(tokens);
  }

 private:
  std::unique_ptr<tools::LoadedModel> model_;
  Arena arena_;
  data::Sequences sources_;
};

// The peer as a process that translates the text whenever it is asked to.
class CTranslate2 {
 public:
  // Error failure where it cannot run.
  CTranslate2(const EndToEnd& options, const Decoding& decoding)
      : process_(command(options, decoding), {{"OMP_NUM_THREADS", std::to_string(thread_count())}}),
        about_(peer_time("ctranslate2", process_.read_line())) {
    if (!about_.why_not.empty()) fail(ErrorKind::failure, "{}", about_.why_not);
  }
  // Its name, and its number of tokens.
  const PeerTime& about() const { return about_; }
  double turn() {
    end_own_threads();
    process_.write_line("turn");
    return std::stod(process_.read_line());
  }

 private:
  static std::vector<std::string> command(const EndToEnd& options, const Decoding& decoding) {
    std::vector<std::string> words = {peers_python(), peer_script("ctranslate2_translate.py"),
                                      "--model",      options.model,
                                      "--input",      options.input,
                                      "--beam",       std::to_string(decoding.beam),
                                      "--threads",    std::to_string(thread_count()),
                                      "--turns"};
    if (decoding.sentences == 1) words.insert(words.end(), {"--batch-size", "1"});
    return words;
  }
  Process process_;
  PeerTime about_;
};

// Seconds of one pass over the text.
double turn_of(Translation& translation, const Decoding& decoding) {
  // The peer's OpenMP threads spin for 0.2 s after their last loop (KMP_BLOCKTIME).
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double start = now();
  translation.run(decoding);
  return now() - start;
}

// The two in turn, one pass over the text each. The peer's time is brought to our number of tokens: what is
// compared is tokens per second.
void compare_with_ctranslate2(const EndToEnd& options, const Decoding& decoding, int turns,
                              Translation& translation, Row& row) {
  try {
    end_own_threads();
    CTranslate2 peer(options, decoding);
    const double tokens = peer.about().tokens;
    row.baseline = peer.about().name;
    row.set_turns(take_turns(
        turns, [&] { return turn_of(translation, decoding); },
        [&] { return peer.turn() * row.tokens / tokens; }));
    row.add_note(fmt::format("{:.0f} tokens, the peer {:.0f}", row.tokens, tokens));
  } catch (const Error& error) {
    row.add_note(std::string("no baseline: ") + error.what());
  }
}

Row translate_row(const Request& request, const EndToEnd& options, const Decoding& decoding,
                  Translation& translation, const Progress& progress) {
  constexpr int kSamples = 9;
  const int samples = request.timer.samples > 0 ? request.timer.samples : kSamples;
  Row row =
      row_like(request, "translate",
               fmt::format("{} beam {} batch {}", std::filesystem::path(options.input).filename().string(),
                           decoding.beam, decoding.sentences));
  progress("translate " + row.shape);
  reset_peak_resident();
  row.tokens = translation.run(decoding);  // which warms up
  row.peak_bytes = peak_resident_bytes();
  row.baseline = request.baseline;
  if (request.baseline == "ctranslate2") {
    compare_with_ctranslate2(options, decoding, samples, translation, row);
  } else if (request.baseline != "none") {
    row.add_note("no baseline: " + request.baseline + " is no peer in translation");
  }
  if (!row.ran())
    row.samples = sample({.warm_ups = 0, .samples = samples}, [&] { translation.run(decoding); });
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

// A training of xformer-train that goes on a stretch at a time, each in a process that continues the last
// one's run.
class Training {
 public:
  Training(const Request& request, const EndToEnd& options) {
    const auto text = [&](const std::string& name) {
      return options.data.empty() ? multi30k(name) : (fs::path(options.data) / name).string();
    };
    const std::string never = std::to_string(options.updates + 1) + "u";
    command_ = {program("xformer-train"),
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

Results translate_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress) {
  const EndToEnd chosen = with_model_and_text(options);
  const Machine machine = measure_machine(request.target.device, request.target.dtype);
  Results results{"", make_header(request.target, machine, request.preset), {}};
  results.header.emplace_back("model", chosen.model);
  Translation translation(chosen, request.target);
  for (const int64_t sentences : and_one(chosen.sentences)) {
    for (const int64_t beam : and_one(chosen.beam))
      results.rows.push_back(translate_row(request, chosen, {beam, sentences}, translation, progress));
  }
  return results;
}

Results train_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress) {
  constexpr int64_t kFewest = 2 * kWindow;
  if (options.updates < kFewest)
    fail(ErrorKind::usage, "--updates {} are too few to time; at least {}", options.updates, kFewest);
  const Machine machine = measure_machine(request.target.device, request.target.dtype);
  const Scope scope = scope_of(request.preset == "odd" ? "tiny" : request.preset, request.target);
  Results results{"", make_header(request.target, machine, scope.model.name), {}};
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
  Training training(request, options);
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
