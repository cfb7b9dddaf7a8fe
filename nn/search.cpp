#include "nn/search.h"

#include <algorithm>

#include "nn/beams.h"

namespace xf::nn {

namespace {

void check(bool condition, const char* option, const char* rule) {
  if (!condition) fail(ErrorKind::usage, "{} must be {}", option, rule);
}

// Between host and device: the only two places.
Tensor upload(Arena& arena, const std::vector<int32_t>& values) {
  const Tensor tensor = arena.allocate({static_cast<int64_t>(values.size())}, DType::i32);
  tensor.copy_from(Tensor::from(values));
  return tensor;
}
template <typename T>
std::vector<T> download(const Tensor& tensor) {
  return tensor.to_vector<T>();
}

std::vector<double> download_scores(const Tensor& scores) {
  if (scores.dtype() == DType::f64) return download<double>(scores);
  const std::vector<float> values = download<float>(scores);
  return {values.begin(), values.end()};
}

// Beams::write_step's tables as tensors, in one transfer.
DecodeStep decode_step(const Beams& beams, const Tensor& all) {
  const int64_t R = beams.live(), S = beams.position() + 1, Smax = beams.longest_source();
  int64_t begin = 0;
  const auto next = [&](int64_t count) {
    begin += count;
    return all.slice_rows(begin - count, begin);
  };
  DecodeStep step;
  step.first_node = beams.first_node();
  step.ids = next(R);
  step.positions = next(R);
  step.lengths = next(R);
  step.rows = next(R * S).reshape({R, S});
  step.source_lengths = next(R);
  step.source_rows = next(R * Smax).reshape({R, Smax});
  return step;
}

}  // namespace

Search::Search(const TranslationModel& model, Arena& arena, const SearchOptions& options)
    : model_(model), arena_(arena), options_(options) {
  options_.max_length = std::min(options.max_length, most_tokens(model.config()));
  const int64_t V = model.config().target_vocabulary;
  check(options.beam_size >= 1, "beam-size", "at least 1");
  check(options.n_best >= 1 && options.n_best <= options.beam_size, "n-best", "from 1 to beam-size");
  check(options.normalize >= 0, "normalize", "at least 0");
  check(options.max_length_factor >= 0, "max-length-factor", "at least 0");
  check(options.max_length >= 1, "max-length", "at least 1");
  check(options.no_repeat_ngram >= 0, "no-repeat-ngram-size", "at least 0");
  if (options.max_length > Model::kMaxPositions) {
    fail(ErrorKind::usage, "max-length must be at most {}, got {}", Model::kMaxPositions, options.max_length);
  }
  XF_CHECK(0 <= options.bos && options.bos < V && 0 <= options.eos && options.eos < V,
           "search: <s> and </s> must be ids of the target vocabulary of {}, got {} and {}", V, options.bos,
           options.eos);
  for (const int32_t id : {options.pad, options.bos, options.allow_unk ? -1 : options.unk}) {
    if (id >= 0 && id != options.eos) banned_.push_back(id);
  }
  std::sort(banned_.begin(), banned_.end());
  banned_.erase(std::unique(banned_.begin(), banned_.end()), banned_.end());
}

std::vector<std::vector<Hypothesis>> Search::translate(const PackedBatch& batch,
                                                       SearchObserver* observer) const {
  if (batch.sentences == 0) return {};
  Tape tape(arena_, Tape::Mode::inference);
  Step step{tape};
  const auto decoding =
      model_.decoding(step, arena_, batch.to(arena_.device()), batch.sentences * options_.beam_size);
  const Tensor banned = upload(arena_, banned_);
  const int64_t allowed = model_.config().target_vocabulary - banned.numel();
  Beams beams(options_, download<int32_t>(batch.source_offsets), observer);
  std::vector<int32_t> host_tables;
  while (!beams.done()) {
    const int64_t R = beams.live(), K = std::min(beams.wanted(), allowed);
    beams.write_step(host_tables);
    const Tensor scores = arena_.allocate({R, K}, accumulator_of(model_.dtype())),
                 ids = arena_.allocate({R, K}, DType::i32);
    decoding->top_k(decode_step(beams, upload(arena_, host_tables)), banned, scores, ids);
    beams.advance(download_scores(scores), download<int32_t>(ids), K);
  }
  return beams.results();
}

}  // namespace xf::nn
