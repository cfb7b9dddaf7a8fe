#include "nn/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "nn/decoder_cache.h"
#include "nn/evaluation.h"

namespace xf::nn {

namespace {

// A line that is being written.
struct Live {
  size_t prompt;  // its place among the prompts
  PhiloxSequence random;
  std::vector<int32_t> rows;  // of the cache, one for each token that was fed
};

// What the model reads in a step: a row for each live line.
struct StepTables {
  std::vector<int32_t> ids, rows;
};

std::vector<Live> begin_lines(const std::vector<std::vector<int32_t>>& prompts, uint64_t first_number,
                              const SamplingOptions& options) {
  std::vector<Live> live;
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (static_cast<int64_t>(prompts[i].size()) >= options.max_length) {
      fail(ErrorKind::usage, "a prompt has {} tokens; a line has at most {}: raise --max-length",
           prompts[i].size(), options.max_length);
    }
    live.push_back({i, PhiloxSequence(options.seed, first_number + i), {}});
  }
  return live;
}

// Gives each live line the next row of the cache.
StepTables next_step(std::vector<Live>& live, const std::vector<SampledLine>& lines, int32_t bos,
                     int32_t used) {
  StepTables tables;
  for (Live& line : live) {
    const std::vector<int32_t>& ids = lines[line.prompt].ids;
    tables.ids.push_back(ids.empty() ? bos : ids.back());
    line.rows.push_back(used++);
    tables.rows.insert(tables.rows.end(), line.rows.begin(), line.rows.end());
  }
  return tables;
}

}  // namespace

Sampler::Sampler(const LanguageModel& model, Arena& arena, const SamplingOptions& options)
    : model_(model), arena_(arena), options_(options) {
  options_.max_length = std::min(options.max_length, most_tokens(model.config()));
  const int64_t V = model.config().target_vocabulary;
  if (!(options.temperature >= 0)) fail(ErrorKind::usage, "temperature must be at least 0");
  if (options.top_k < 0) fail(ErrorKind::usage, "top-k must be at least 0");
  if (options.max_length < 1 || options.max_length > Model::kMaxPositions)
    fail(ErrorKind::usage, "max-length must be from 1 to {}", Model::kMaxPositions);
  XF_CHECK(0 <= options.bos && options.bos < V && 0 <= options.eos && options.eos < V,
           "sampler: <s> and </s> must be ids of the vocabulary of {}, got {} and {}", V, options.bos,
           options.eos);
}

// The token at which the running sum of probabilities passes `uniform`, from [0, 1).
int32_t Sampler::draw(std::vector<double> logits, double uniform) const {
  for (const int32_t id : {options_.bos, options_.pad, options_.unk}) {
    if (id >= 0 && id != options_.eos)
      logits[static_cast<size_t>(id)] = -std::numeric_limits<double>::infinity();
  }
  std::vector<int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto before = [&](int32_t a, int32_t b) {
    const double za = logits[static_cast<size_t>(a)], zb = logits[static_cast<size_t>(b)];
    return za != zb ? za > zb : a < b;
  };
  const size_t all = ids.size(), wanted = options_.temperature == 0 ? 1 : static_cast<size_t>(options_.top_k);
  const size_t kept = wanted == 0 ? all : std::min(wanted, all);
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(), before);
  if (!std::isfinite(logits[static_cast<size_t>(ids[0])]))
    fail(ErrorKind::diverged, "the model's logits are not finite");
  if (kept == 1) return ids[0];
  std::vector<double> sums(kept);
  double sum = 0;
  for (size_t i = 0; i < kept; ++i) {
    const double below_top = logits[static_cast<size_t>(ids[i])] - logits[static_cast<size_t>(ids[0])];
    sums[i] = sum += std::exp(below_top / options_.temperature);
  }
  const auto drawn = std::ranges::upper_bound(sums, uniform * sum) - sums.begin();
  return ids[std::min(static_cast<size_t>(drawn), kept - 1)];
}

std::vector<SampledLine> Sampler::sample(const std::vector<std::vector<int32_t>>& prompts,
                                         uint64_t first_number) const {
  std::vector<SampledLine> lines(prompts.size());
  std::vector<Live> live = begin_lines(prompts, first_number, options_);
  Tape tape(arena_, Tape::Mode::inference);
  Step step{.tape = tape};
  std::vector<Tensor> cache = make_cache(
      model_.config(), arena_, static_cast<int64_t>(prompts.size()) * kFirstPositions, model_.dtype());
  const auto upload = [&](const std::vector<int32_t>& values, Shape shape) {
    return Tensor::from(values, shape).to(arena_.device());
  };
  int32_t used = 0;
  for (int32_t position = 0; !live.empty(); ++position) {
    const auto R = static_cast<int32_t>(live.size());
    const auto each = [&](int32_t value) { return upload(std::vector<int32_t>(live.size(), value), {R}); };
    reserve_cache(cache, arena_, used, used + R);
    const StepTables tables = next_step(live, lines, options_.bos, used);
    const Tensor states = model_.decode_step(step, upload(tables.ids, {R}), each(position), cache, used,
                                             upload(tables.rows, {R, position + 1}), each(position + 1));
    used += R;
    const std::vector<double> logits = read_values(model_.logits(step, states));
    const size_t V = logits.size() / live.size();
    std::vector<Live> next;
    for (size_t r = 0; r < live.size(); ++r) {
      SampledLine& line = lines[live[r].prompt];
      const auto row = logits.begin() + static_cast<std::ptrdiff_t>(r * V);
      const std::vector<int32_t>& prompt = prompts[live[r].prompt];
      const auto at = static_cast<size_t>(position);
      const int32_t id = at < prompt.size()
                             ? prompt[at]
                             : draw({row, row + static_cast<std::ptrdiff_t>(V)}, live[r].random.uniform());
      if (id == options_.eos) continue;
      line.ids.push_back(id);
      line.cut = static_cast<int64_t>(line.ids.size()) == options_.max_length;
      if (!line.cut) next.push_back(std::move(live[r]));
    }
    live = std::move(next);
  }
  return lines;
}

}  // namespace xf::nn
