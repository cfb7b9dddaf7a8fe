#include "nn/decode/text_generator.h"

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
      fail(ErrorKind::usage, "a prompt has {} tokens; a line has at most {}: shorten it", prompts[i].size(),
           options.max_length);
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

TextGenerator::TextGenerator(const LanguageModel& model, Arena& arena, const SamplingOptions& options)
    : model_(model), arena_(arena), options_(options) {
  options_.max_length = std::min(options.max_length, most_tokens(model.config()));
  const int64_t V = model.config().target_vocabulary;
  check(options.filter);
  if (options.max_length < 1 || options.max_length > Model::kMaxPositions)
    fail(ErrorKind::usage, "max-length must be from 1 to {}", Model::kMaxPositions);
  XF_CHECK(0 <= options.bos && options.bos < V && 0 <= options.eos && options.eos < V,
           "text generator: <s> and </s> must be ids of the vocabulary of {}, got {} and {}", V, options.bos,
           options.eos);
  for (const int32_t id : {options.bos, options.pad, options.unk}) {
    if (id >= 0 && id != options.eos) banned_.push_back(id);
  }
}

std::vector<SampledLine> TextGenerator::sample(const std::vector<std::vector<int32_t>>& prompts,
                                               uint64_t first_number) const {
  std::vector<SampledLine> lines(prompts.size());
  std::vector<Live> live = begin_lines(prompts, first_number, options_);
  Tape tape(arena_, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
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
    const Tensor states = model_.decode_step(context, upload(tables.ids, {R}), each(position), cache, used,
                                             upload(tables.rows, {R, position + 1}), each(position + 1));
    used += R;
    const std::vector<double> logits = read_values(model_.logits(context, states));
    const size_t V = logits.size() / live.size();
    std::vector<Live> next;
    for (size_t r = 0; r < live.size(); ++r) {
      SampledLine& line = lines[live[r].prompt];
      const std::span<const double> row(logits.data() + r * V, V);
      const std::vector<int32_t>& prompt = prompts[live[r].prompt];
      const auto at = static_cast<size_t>(position);
      const int32_t id = at < prompt.size()
                             ? prompt[at]
                             : sample_token(options_.filter, row, banned_, live[r].random.uniform());
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
