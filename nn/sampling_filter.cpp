#include "nn/sampling_filter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"

namespace xf::nn {

namespace {

struct Token {
  double weight;  // its probability, but for a factor
  int32_t id;
};

bool less_probable(const Token& a, const Token& b) {
  return a.weight != b.weight ? a.weight < b.weight : a.id > b.id;
}

// Tokens from the most probable on, sorted no further than somebody looks: a heap, whose top moves
// behind it.
class Ranking {
 public:
  explicit Ranking(std::vector<Token> tokens) : tokens_(std::move(tokens)), heap_(tokens_.size()) {
    std::ranges::make_heap(tokens_, less_probable);
  }
  size_t size() const { return tokens_.size(); }
  const Token& operator[](size_t rank) {
    const size_t place = tokens_.size() - 1 - rank;
    for (; heap_ > place; --heap_)
      std::pop_heap(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(heap_), less_probable);
    return tokens_[place];
  }
  double total() const {
    return std::accumulate(tokens_.begin(), tokens_.end(), 0.0,
                           [](double sum, const Token& token) { return sum + token.weight; });
  }

 private:
  std::vector<Token> tokens_;
  size_t heap_;  // tokens that are not sorted yet
};

// The tokens that may be drawn, with their logits for weights.
std::vector<Token> candidates(std::span<const double> logits, std::span<const int32_t> banned) {
  std::vector<bool> out(logits.size());
  for (const int32_t id : banned) out[static_cast<size_t>(id)] = true;
  std::vector<Token> tokens;
  tokens.reserve(logits.size());
  for (size_t id = 0; id < logits.size(); ++id) {
    if (!std::isfinite(logits[id])) fail(ErrorKind::diverged, "the model's logits are not finite");
    if (!out[id]) tokens.push_back({logits[id], static_cast<int32_t>(id)});
  }
  XF_CHECK(!tokens.empty(), "sample_token: expected an id that is not banned, got {} ids, all banned",
           logits.size());
  return tokens;
}

// How many of the first `count` tokens make up `share` of their `mass`, which becomes theirs.
size_t nucleus(Ranking& ranking, size_t count, double share, double& mass) {
  double sum = 0;
  size_t kept = 0;
  while (kept < count && sum < share * mass) sum += ranking[kept++].weight;
  mass = sum;
  return kept;
}

}  // namespace

void check(const SamplingFilter& filter) {
  if (!(filter.temperature >= 0)) fail(ErrorKind::usage, "temperature must be at least 0");
  if (filter.top_k < 0) fail(ErrorKind::usage, "top-k must be at least 0");
  if (!(filter.top_p > 0 && filter.top_p <= 1)) fail(ErrorKind::usage, "top-p must be above 0 and at most 1");
}

int32_t sample_token(const SamplingFilter& filter, std::span<const double> logits,
                     std::span<const int32_t> banned, double uniform) {
  std::vector<Token> tokens = candidates(logits, banned);
  const Token best = *std::ranges::max_element(tokens, less_probable);
  if (filter.temperature == 0) return best.id;
  for (Token& token : tokens) token.weight = std::exp((token.weight - best.weight) / filter.temperature);
  Ranking ranking(std::move(tokens));
  size_t count = ranking.size();
  double mass = ranking.total();
  if (filter.top_k > 0 && static_cast<size_t>(filter.top_k) < count) {
    count = static_cast<size_t>(filter.top_k);
    mass = 0;
    for (size_t i = 0; i < count; ++i) mass += ranking[i].weight;
  }
  if (filter.top_p < 1) count = nucleus(ranking, count, filter.top_p, mass);
  double sum = 0;
  for (size_t i = 0; i + 1 < count; ++i) {
    sum += ranking[i].weight;
    if (sum > uniform * mass) return ranking[i].id;
  }
  return ranking[count - 1].id;
}

}  // namespace xf::nn
