#include "nn/decode/search.h"

#include <algorithm>
#include <cmath>

#include "kernels/top_k.h"
#include "nn/decode/beams.h"
#include "nn/evaluation.h"

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
std::vector<int32_t> download(const Tensor& tensor) { return tensor.to_vector<int32_t>(); }

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

// How each live hypothesis may go on: [R, K], best first.
struct Continuations {
  std::vector<double> log_probabilities;
  std::vector<int32_t> ids;
  int64_t K;
};

// log softmax(z)[id]
double log_probability(std::span<const double> logits, int32_t id) {
  const double top = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double z : logits) sum += std::exp(z - top);
  return logits[static_cast<size_t>(id)] - top - std::log(sum);
}

// Where an id is given, it is the first of the row's K. z [R, V]
void put_given(const Beams& beams, const Tensor& z, Continuations& found) {
  const std::vector<int32_t> given = beams.given();
  for (size_t r = 0; r < given.size(); ++r) {
    if (given[r] < 0) continue;
    const auto row = static_cast<int64_t>(r), first = row * found.K;
    found.ids[static_cast<size_t>(first)] = given[r];
    found.log_probabilities[static_cast<size_t>(first)] =
        log_probability(read_values(z.slice_rows(row, row + 1)), given[r]);
  }
}

// A search's.
Continuations best(TranslationModel::Decoding& decoding, const DecodeStep& at, const Beams& beams,
                   const Tensor& banned, kernels::Normalise normalise, const Tensor& scores,
                   const Tensor& ids) {
  Tensor z;
  if (beams.any_given()) {
    z = decoding.logits(at);
    kernels::log_softmax_top_k(z, banned, normalise, scores, ids);
  } else {
    decoding.top_k(at, banned, normalise, scores, ids);
  }
  Continuations found{read_values(scores), download(ids), scores.width()};
  if (z.defined()) put_given(beams, z, found);
  return found;
}

// The one token that is drawn for each live hypothesis, or given. `random`: of each sentence of the
// batch.
Continuations drawn(const Beams& beams, const std::vector<double>& logits, const SamplingFilter& filter,
                    const std::vector<int32_t>& banned, std::vector<PhiloxSequence>& random) {
  const std::vector<int32_t> given = beams.given();
  const std::vector<size_t> sentences = beams.sentences();
  const size_t V = logits.size() / given.size();
  Continuations found{{}, given, 1};
  for (size_t r = 0; r < given.size(); ++r) {
    const std::span<const double> row(logits.data() + r * V, V);
    if (given[r] < 0) {
      std::vector<int32_t> out = beams.repeating(static_cast<int64_t>(r));
      out.insert(out.end(), banned.begin(), banned.end());
      found.ids[r] = sample_token(filter, row, out, random[sentences[r]].uniform());
    }
    found.log_probabilities.push_back(log_probability(row, found.ids[r]));
  }
  return found;
}

std::vector<PhiloxSequence> random_sequences(const Given& given, int64_t sentences, uint64_t seed) {
  std::vector<PhiloxSequence> sequences;
  for (size_t b = 0; b < static_cast<size_t>(sentences); ++b)
    sequences.emplace_back(seed, given.numbers.empty() ? b : given.numbers[b]);
  return sequences;
}

}  // namespace

Search::Search(const TranslationModel& model, Arena& arena, const SearchOptions& options)
    : model_(model), arena_(arena), options_(options) {
  options_.scored = options.scored || options.beam_size > 1 || options.sampling;
  options_.max_length = std::min(options.max_length, most_tokens(model.config()));
  const int64_t V = model.config().target_vocabulary;
  check(options.beam_size >= 1, "beam-size", "at least 1");
  check(options.n_best >= 1 && options.n_best <= options.beam_size, "n-best", "from 1 to beam-size");
  check(options.normalize >= 0, "normalize", "at least 0");
  check(options.max_length_factor >= 0 && std::isfinite(options.max_length_factor), "max-length-factor",
        "a number of at least 0");
  check(options.max_length >= 1, "max-length", "at least 1");
  check(options.no_repeat_ngram >= 0, "no-repeat-ngram-size", "at least 0");
  if (options.sampling) {
    check(*options.sampling);
    check(options.beam_size == 1, "beam-size", "1 when tokens are sampled");
  }
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

void Search::check_given(const PackedBatch& batch, const Given& given) const {
  const auto B = static_cast<size_t>(batch.sentences);
  XF_CHECK((given.prefixes.empty() || given.prefixes.size() == B) &&
               (given.numbers.empty() || given.numbers.size() == B),
           "search: given must hold none or {} prefixes and numbers, got {} and {}", B, given.prefixes.size(),
           given.numbers.size());
  const int64_t V = model_.config().target_vocabulary, most = most_tokens(model_.config());
  for (const std::vector<int32_t>& prefix : given.prefixes) {
    if (prefix.size() > static_cast<size_t>(most))
      fail(ErrorKind::usage, "a prefix has {} tokens; a translation has at most {}", prefix.size(), most);
    for (const int32_t id : prefix) {
      XF_CHECK(0 <= id && id < V, "search: a prefix must hold ids from 0 to {}, got {}", V - 1, id);
      if (id == options_.eos) fail(ErrorKind::usage, "a prefix has </s> in it, which ends a translation");
    }
  }
}

std::vector<std::vector<Hypothesis>> Search::translate(const PackedBatch& batch, const Given& given,
                                                       SearchObserver* observer) const {
  if (batch.sentences == 0) return {};
  check_given(batch, given);
  Tape tape(arena_, Tape::Mode::inference);
  ForwardContext context{tape};
  const auto decoding =
      model_.decoding(context, arena_, batch.to(arena_.device()), batch.sentences * options_.beam_size);
  const Tensor banned = upload(arena_, banned_);
  const int64_t allowed = model_.config().target_vocabulary - banned.numel();
  Beams beams(options_, download(batch.source_offsets), given.prefixes, observer);
  std::vector<PhiloxSequence> random = random_sequences(given, batch.sentences, options_.seed);
  std::vector<int32_t> host_tables;
  const auto normalise = options_.scored ? kernels::Normalise::yes : kernels::Normalise::no;
  while (!beams.done()) {
    beams.write_step(host_tables);
    const DecodeStep at = decode_step(beams, upload(arena_, host_tables));
    Continuations found;
    if (options_.sampling) {
      found = drawn(beams, read_values(decoding->logits(at)), *options_.sampling, banned_, random);
    } else {
      const int64_t R = beams.live(), K = std::min(beams.wanted(), allowed);
      found =
          best(*decoding, at, beams, banned, normalise,
               arena_.allocate({R, K}, accumulator_of(model_.dtype())), arena_.allocate({R, K}, DType::i32));
    }
    beams.advance(found.log_probabilities, found.ids, found.K);
  }
  return beams.results();
}

}  // namespace xf::nn
