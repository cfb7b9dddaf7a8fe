#include "nn/decode/beams.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xf::nn {

namespace {

constexpr int64_t kExtraLength = 10;  // tokens that every translation may have beyond factor *
                                      // source tokens

int64_t length_limit(const SearchOptions& options, int64_t source_tokens) {
  const auto words = static_cast<double>(std::max<int64_t>(source_tokens - 1, 0));  // without </s>
  const double limit = std::floor(options.max_length_factor * words) + kExtraLength;
  return static_cast<int64_t>(std::min(limit, static_cast<double>(options.max_length)));
}

}  // namespace

Beams::Beams(const SearchOptions& options, const std::vector<int32_t>& source_offsets,
             std::vector<std::vector<int32_t>> prefixes, SearchObserver* observer)
    : options_(options), prefixes_(std::move(prefixes)), observer_(observer) {
  const auto B = static_cast<int64_t>(source_offsets.size()) - 1;
  ended_.resize(static_cast<size_t>(B));
  for (int64_t b = 0; b < B; ++b) {
    const int32_t first = source_offsets[static_cast<size_t>(b)];
    const int32_t tokens = source_offsets[static_cast<size_t>(b + 1)] - first;
    const size_t given = prefixes_.empty() ? 0 : prefixes_[static_cast<size_t>(b)].size();
    const int64_t limit = std::max(length_limit(options, tokens), static_cast<int64_t>(given));
    sentences_.push_back({b, 1, limit, first, tokens});
    nodes_.push_back({options.bos, -1, 0});
  }
}

int64_t Beams::longest_source() const {
  int32_t longest = 0;
  for (const Sentence& sentence : sentences_) longest = std::max(longest, sentence.source_tokens);
  return longest;
}

// The next token of the sentence's prefix; -1 behind it.
int32_t Beams::given_to(const Sentence& sentence) const {
  if (prefixes_.empty()) return -1;
  const std::vector<int32_t>& prefix = prefixes_[static_cast<size_t>(sentence.index)];
  const auto at = static_cast<size_t>(position_);
  return at < prefix.size() ? prefix[at] : -1;
}

bool Beams::any_given() const {
  return std::ranges::any_of(sentences_, [&](const Sentence& sentence) { return given_to(sentence) >= 0; });
}

std::vector<int32_t> Beams::given() const {
  std::vector<int32_t> ids;
  for (const Sentence& sentence : sentences_)
    ids.insert(ids.end(), static_cast<size_t>(sentence.live), given_to(sentence));
  return ids;
}

std::vector<size_t> Beams::sentences() const {
  std::vector<size_t> places;
  for (const Sentence& sentence : sentences_)
    places.insert(places.end(), static_cast<size_t>(sentence.live), static_cast<size_t>(sentence.index));
  return places;
}

void Beams::write_step(std::vector<int32_t>& tables) const {
  const int64_t R = live(), S = position_ + 1, Smax = longest_source();
  tables.assign(static_cast<size_t>(R * (4 + S + Smax)), 0);
  int32_t* const ids = tables.data();
  int32_t *const positions = ids + R, *const lengths = positions + R, *const rows = lengths + R;
  int32_t *const source_lengths = rows + R * S, *const source_rows = source_lengths + R;
  int64_t r = 0;
  for (const Sentence& sentence : sentences_) {
    for (int64_t i = 0; i < sentence.live; ++i, ++r) {
      auto node = static_cast<int32_t>(first_node_ + r);
      ids[r] = nodes_[static_cast<size_t>(node)].id;
      positions[r] = static_cast<int32_t>(position_);
      lengths[r] = static_cast<int32_t>(S);
      for (int64_t j = S - 1; j >= 0; --j) {
        rows[r * S + j] = node;
        node = nodes_[static_cast<size_t>(node)].parent;
      }
      source_lengths[r] = sentence.source_tokens;
      for (int32_t j = 0; j < sentence.source_tokens; ++j)
        source_rows[r * Smax + j] = sentence.source_first + j;
    }
  }
}

void Beams::advance(const std::vector<double>& log_probabilities, const std::vector<int32_t>& ids,
                    int64_t K) {
  auto parent = static_cast<int32_t>(first_node_);
  first_node_ = nodes();
  int64_t row = 0;
  for (Sentence& sentence : sentences_) {
    candidates_.clear();
    const bool given = given_to(sentence) >= 0;
    for (int64_t i = 0; i < sentence.live; ++i, ++parent, ++row) {
      const std::vector<int32_t> repeats = given ? std::vector<int32_t>{} : repeats_of(parent);
      const double so_far = nodes_[static_cast<size_t>(parent)].log_probability;
      for (int64_t k = 0; k < (given ? 1 : K); ++k) {
        const auto continuation = static_cast<size_t>(row * K + k);
        const double log_probability = so_far + log_probabilities[continuation];
        if (!std::isfinite(log_probability)) {
          fail(ErrorKind::diverged,
               "search: the model's log-probabilities are not finite: "
               "its weights exploded (lower learn-rate) or are damaged");
        }
        if (std::ranges::find(repeats, ids[continuation]) != repeats.end()) continue;
        candidates_.push_back({log_probability, ids[continuation], parent});
      }
    }
    advance(sentence);
  }
  std::erase_if(sentences_, [](const Sentence& sentence) { return sentence.live == 0; });
  ++position_;
}

// The tokens behind <s> up to this node.
std::vector<int32_t> Beams::path(int64_t node) const {
  std::vector<int32_t> ids;
  for (; nodes_[static_cast<size_t>(node)].parent >= 0; node = nodes_[static_cast<size_t>(node)].parent)
    ids.push_back(nodes_[static_cast<size_t>(node)].id);
  std::ranges::reverse(ids);
  return ids;
}

// The tokens that would end an n-gram which the hypothesis has already: of each place that reads as
// its last n - 1 tokens, the next one.
std::vector<int32_t> Beams::repeats_of(int64_t parent) const {
  const auto n = static_cast<size_t>(options_.no_repeat_ngram);
  std::vector<int32_t> repeats;
  if (n == 0 || static_cast<size_t>(position_) < n) return repeats;
  const std::vector<int32_t> ids = path(parent);
  const auto last = ids.end() - static_cast<std::ptrdiff_t>(n - 1);
  for (auto begin = ids.begin(); begin + static_cast<std::ptrdiff_t>(n - 1) != ids.end(); ++begin) {
    if (std::equal(last, ids.end(), begin)) repeats.push_back(begin[static_cast<std::ptrdiff_t>(n - 1)]);
  }
  return repeats;
}

// All candidates of a step have as many tokens, so that only </s>, which is no word, differs.
double Beams::ranked_by(const Candidate& candidate) const {
  return candidate.log_probability -
         (candidate.id == options_.eos ? static_cast<double>(options_.word_penalty) : 0.0);
}

// Puts the best `count` candidates first, in order. Nodes of a sentence are numbered by rank, so
// the smaller parent is the hypothesis that ranked higher.
void Beams::rank(size_t count) {
  const auto better = [this](const Candidate& a, const Candidate& b) {
    if (ranked_by(a) != ranked_by(b)) return ranked_by(a) > ranked_by(b);
    return a.id != b.id ? a.id < b.id : a.parent < b.parent;
  };
  const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(count, candidates_.size()));
  std::partial_sort(candidates_.begin(), middle, candidates_.end(), better);
  candidates_.erase(middle, candidates_.end());
}

void Beams::advance(Sentence& sentence) {
  // At most one </s> per live hypothesis: 2 * beam candidates hold beam_size others if there are so
  // many.
  const auto beam = static_cast<size_t>(options_.beam_size);
  rank(observer_ ? candidates_.size() : 2 * beam);
  std::vector<Ended>& ended = ended_[static_cast<size_t>(sentence.index)];
  const auto first_beam =
      candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(beam, candidates_.size()));
  const auto ends = static_cast<size_t>(std::count_if(
      candidates_.begin(), first_beam, [&](const Candidate& c) { return c.id == options_.eos; }));
  const bool enough = ended.size() + ends >= beam;
  const int64_t tokens = position_ + 1;
  size_t others = 0;
  sentence.live = 0;
  for (size_t rank = 0; rank < candidates_.size(); ++rank) {
    const Candidate& candidate = candidates_[rank];
    Fate fate = tokens == sentence.limit ? Fate::cut : Fate::lives;
    if (candidate.id == options_.eos) {
      fate = rank < beam ? Fate::ends : Fate::late_end;
    } else if (enough) {
      fate = Fate::stopped;
    } else if (others++ >= beam) {
      fate = Fate::off_beam;
    }
    if (fate == Fate::ends || fate == Fate::cut) ended.push_back({candidate, tokens});
    if (observer_) {
      observer_->continued({sentence.index, tokens, static_cast<int64_t>(rank), candidate.parent,
                            fate == Fate::lives ? nodes() : -1, candidate.id, candidate.log_probability,
                            fate});
    }
    if (fate != Fate::lives) continue;
    nodes_.push_back({candidate.id, candidate.parent, candidate.log_probability});
    ++sentence.live;
  }
}

std::vector<double> Beams::token_log_probabilities(const Candidate& last) const {
  std::vector<double> values;
  double sum = last.log_probability;
  for (int32_t node = last.parent; node >= 0; node = nodes_[static_cast<size_t>(node)].parent) {
    values.push_back(sum - nodes_[static_cast<size_t>(node)].log_probability);
    sum = nodes_[static_cast<size_t>(node)].log_probability;
  }
  std::ranges::reverse(values);
  return values;
}

Hypothesis Beams::hypothesis(const Ended& ended) const {
  Hypothesis result;
  result.cut = ended.last.id != options_.eos;
  result.ids = path(ended.last.parent);
  if (result.cut) result.ids.push_back(ended.last.id);
  if (!options_.scored) {
    result.log_probability = result.score = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  result.log_probability = ended.last.log_probability;
  const auto words = static_cast<double>(ended.tokens - (result.cut ? 0 : 1));
  result.score = (result.log_probability + static_cast<double>(options_.word_penalty) * words) /
                 std::pow(static_cast<double>(ended.tokens), static_cast<double>(options_.normalize));
  result.token_log_probabilities = token_log_probabilities(ended.last);
  return result;
}

std::vector<std::vector<Hypothesis>> Beams::results() const {
  std::vector<std::vector<Hypothesis>> results(ended_.size());
  for (size_t b = 0; b < ended_.size(); ++b) {
    for (const Ended& ended : ended_[b]) results[b].push_back(hypothesis(ended));
    std::stable_sort(results[b].begin(), results[b].end(), [](const Hypothesis& a, const Hypothesis& c) {
      return a.cut != c.cut ? c.cut : a.score > c.score;
    });
    if (results[b].size() > static_cast<size_t>(options_.n_best))
      results[b].resize(static_cast<size_t>(options_.n_best));
  }
  return results;
}

}  // namespace xf::nn
