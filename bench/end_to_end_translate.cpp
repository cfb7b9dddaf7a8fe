#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/ceilings.h"
#include "bench/end_to_end.h"
#include "bench/peer_program.h"
#include "bench/process.h"
#include "bench/repository.h"
#include "bench/temporary_folder.h"
#include "data/batches.h"
#include "data/parallel_corpus.h"
#include "data/text_file.h"
#include "nn/decode/search.h"
#include "tools/formats/loaded_model.h"
#include "tools/inference/translator.h"

namespace xf::bench {

namespace {

namespace fs = std::filesystem;

// Where no model is given: the demo's and the sentences that it has not seen (tools/demo.sh).
EndToEnd with_model_and_text(EndToEnd options) {
  if (options.model.empty()) {
    options.model = repository_path("build/demo/run");
    if (options.model.empty() || !fs::exists(options.model)) {
      fail(ErrorKind::usage,
           "--end-to-end translate needs --model RUN, a trained run folder; tools/demo.sh makes "
           "build/demo/run in the repository");
    }
    if (options.input.empty()) options.input = repository_path("build/demo/corpus/test.en");
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

// A trained model and a text as ids: what is timed lies between ids and ids, as in CTranslate2's
// translate_batch().
class Translation {
 public:
  Translation(const EndToEnd& options, const tests::Target& target, bool int8)
      : model_(int8 ? tools::load_quantized_model(options.model, target.device)
                    : tools::load_model(options.model, target.device, target.dtype)),
        arena_(target.device) {
    data::LineReader reader(options.input);
    for (std::string line; reader.next(line);)
      sources_.push_back(model_->vocabularies.source->encode(model_->pipeline.prepare(line)));
  }

  // Number of generated tokens, each sentence's </s> among them. As xformer-translate does it, each
  // thread has batches of its own; one sentence at a time, where the next one begins when it is
  // done, is for all of them.
  double run(const Decoding& decoding) {
    const nn::SearchOptions search =
        tools::with_specials({.beam_size = decoding.beam, .scored = false}, *model_->vocabularies.target);
    const int workers = decoding.sentences > 1 ? tools::workers_on(arena_.device()) : 1;
    std::atomic<int64_t> tokens = 0;
    found_.resize(static_cast<size_t>(sources_.size()));
    const auto batches = data::translation_batches(sources_, model_->vocabularies.source->eos_id(),
                                                   tools::kSourceTokensPerBatch, decoding.sentences);
    tools::for_each_batch(batches, arena_, workers, {}, [&](const data::IndexedBatch& batch, Arena& arena) {
      auto hypotheses = nn::Search(model_->transformer(), arena, search).translate(batch.batch);
      for (size_t i = 0; i < hypotheses.size(); ++i) {
        tokens += static_cast<int64_t>(hypotheses[i].front().ids.size()) + 1;
        found_[static_cast<size_t>(batch.sentences[i])] = std::move(hypotheses[i].front().ids);
      }
    });
    return static_cast<double>(tokens);
  }
  // What is translated, without </s>.
  const data::Sequences& sources() const { return sources_; }
  // Of the last run, line by line.
  const std::vector<std::vector<int32_t>>& found() const { return found_; }

 private:
  std::unique_ptr<tools::LoadedModel> model_;
  Arena arena_;
  data::Sequences sources_;
  std::vector<std::vector<int32_t>> found_;
};

// Our model and text as CTranslate2 reads them.
class ForCTranslate2 {
 public:
  ForCTranslate2(const std::string& model, const data::Sequences& sources) {
    Process({program_beside_this("xformer-export"), "to", "ctranslate2", "--model", model, "--output",
             this->model()})
        .finish();
    nlohmann::json lines = nlohmann::json::array();
    for (size_t i = 0; i < static_cast<size_t>(sources.size()); ++i) lines.push_back(sources[i]);
    std::ofstream(this->sources()) << lines;
  }
  std::string model() const { return (folder_.path() / "model").string(); }
  std::string sources() const { return (folder_.path() / "sources.json").string(); }

 private:
  TemporaryFolder folder_;
};

// The two in turn, one pass over the text each.
void compare_with_ctranslate2(const EndToEnd& options, const Decoding& decoding, int turns,
                              const Progress& progress, Translation& translation, Row& row) {
  try {
    const ForCTranslate2 files(options.model, translation.sources());
    PeerProgram peer = ctranslate2(files.model(), files.sources(), decoding.beam, decoding.sentences == 1,
                                   options.int8 ? "int8" : "float32");
    check_translates_alike(peer, translation.found());
    const Tuned tuned = peer.tune(progress);
    progress("translate " + row.shape + ", in turn with " + tuned.setting.name);
    const auto ours = [&] {
      const double start = now();
      translation.run(decoding);
      return now() - start;
    };
    take_turns_with(peer, tuned, turns, ours, row);
    row.add_note(fmt::format("{} of {} lines differ",
                             different_lines(translation.found(), peer.translations()),
                             translation.found().size()));
  } catch (const Error& error) {
    row.add_note(std::string("no baseline: ") + error.what());
  }
}

// The same model in f32, in turn.
void compare_with_f32(const EndToEnd& options, const Request& request, const Decoding& decoding, int turns,
                      Translation& translation, Row& row) {
  Translation in_f32(options, {request.target.device, DType::f32}, false);
  const double scale = row.tokens / in_f32.run(decoding);
  const auto timed = [&](Translation& one) {
    const double start = now();
    one.run(decoding);
    return now() - start;
  };
  row.set_turns(take_turns(
      turns, [&] { return timed(translation); }, [&] { return scale * timed(in_f32); }));
  row.baseline = kOwnF32;
  row.add_note(fmt::format("{} of {} lines differ", different_lines(translation.found(), in_f32.found()),
                           translation.found().size()));
}

Row translate_row(const Request& request, const EndToEnd& options, const Decoding& decoding,
                  Translation& translation, const Progress& progress) {
  constexpr int kSamples = 9, kSamplesOfOne = 5;  // a sentence at a time takes longest
  const int by_itself = decoding.sentences == 1 ? kSamplesOfOne : kSamples;
  const int samples = request.timer.samples > 0 ? request.timer.samples : by_itself;
  Row row =
      row_like(request, "translate",
               fmt::format("{} beam {} batch {}", std::filesystem::path(options.input).filename().string(),
                           decoding.beam, decoding.sentences));
  if (options.int8) row.dtype = "int8";
  progress("translate " + row.shape);
  reset_peak_resident();
  row.tokens = translation.run(decoding);  // which warms up
  row.peak_bytes = peak_resident_bytes();
  row.baseline = request.baseline;
  if (request.baseline == "ctranslate2") {
    compare_with_ctranslate2(options, decoding, samples, progress, translation, row);
  } else if (request.baseline == kOwnF32) {
    compare_with_f32(options, request, decoding, samples, translation, row);
  } else if (request.baseline != "none") {
    row.add_note("no baseline: " + request.baseline + " is no peer in translation");
  }
  if (!row.ran())
    row.samples = sample({.warm_ups = 0, .samples = samples}, [&] { translation.run(decoding); });
  return row;
}

}  // namespace

Results translate_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress,
                             const Keep& keep) {
  const EndToEnd chosen = with_model_and_text(options);
  const Machine machine = measure_machine(request.target.device, request.target.dtype);
  Results results{"", machine_info(request.target, machine, request.preset), {}};
  results.header.emplace_back("model", chosen.model);
  Translation translation(chosen, request.target, chosen.int8);
  for (const int64_t sentences : and_one(chosen.sentences)) {
    for (const int64_t beam : and_one(chosen.beam)) {
      results.rows.push_back(translate_row(request, chosen, {beam, sentences}, translation, progress));
      keep(results);
    }
  }
  return results;
}

}  // namespace xf::bench
