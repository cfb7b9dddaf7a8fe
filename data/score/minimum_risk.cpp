#include "data/score/minimum_risk.h"

#include <bit>

#include "core/error.h"

namespace xf::data {

namespace {

// Reads numbers one after the other.
class Numbers {
 public:
  explicit Numbers(std::span<const int32_t> numbers) : left_(numbers) {}

  int32_t next() { return take(1).front(); }
  std::vector<int32_t> next(int32_t count) {
    const std::span<const int32_t> taken = take(count);
    return {taken.begin(), taken.end()};
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::span<const int32_t> take(int32_t count) {
    if (count < 0 || static_cast<size_t>(count) > left_.size()) fail(ErrorKind::data, "contrasts: cut short");
    const auto taken = left_.first(static_cast<size_t>(count));
    left_ = left_.subspan(static_cast<size_t>(count));
    return taken;
  }

  std::span<const int32_t> left_;
};

}  // namespace

std::optional<Contrast> contrast(int64_t pair, std::span<const Candidate> candidates,
                                 const std::string& reference, const BleuOptions& bleu) {
  const Candidate *best = nullptr, *worst = nullptr;
  double highest = 0, lowest = 0;
  for (const Candidate& candidate : candidates) {
    const double score = sentence_bleu(candidate.text, std::span(&reference, 1), bleu).score;
    if (!best || score > highest) best = &candidate, highest = score;
    if (!worst || score < lowest) worst = &candidate, lowest = score;
  }
  if (highest == lowest) return {};
  return Contrast{pair, best->ids, worst->ids, static_cast<float>((highest - lowest) / 100)};
}

ParallelCorpus contrasted(const ParallelCorpus& corpus, std::span<const Contrast> contrasts, double weight,
                          int64_t epoch) {
  ParallelCorpus read = {.parts = corpus.parts,
                         .source = {},
                         .target = {},
                         .targets_end = corpus.targets_end,
                         .lines = {},
                         .weights = {},
                         .prepared = nullptr,
                         .statistics = corpus.statistics};
  auto next = contrasts.begin();
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const bool has_contrast = next != contrasts.end() && next->pair == i;
    const int64_t turn = has_contrast ? (i + epoch) % 3 : 0;
    const double worth = has_contrast ? weight * static_cast<double>(next->difference) : 0;
    read.source.push_back(corpus.source[i]);
    read.target.push_back(turn == 0 ? corpus.target[i] : turn == 1 ? next->better : next->worse);
    read.weights.push_back(static_cast<float>(turn == 0 ? 1 : turn == 1 ? worth : -worth));
    read.lines.push_back(corpus.line(i));
    if (has_contrast) ++next;
  }
  XF_CHECK(next == contrasts.end(), "contrasts: pair {} is not in its place", next->pair);
  return read;
}

std::vector<int32_t> packed(std::span<const Contrast> contrasts) {
  std::vector<int32_t> numbers{static_cast<int32_t>(contrasts.size())};
  for (const Contrast& contrast : contrasts) {
    numbers.insert(
        numbers.end(),
        {static_cast<int32_t>(contrast.pair), std::bit_cast<int32_t>(contrast.difference),
         static_cast<int32_t>(contrast.better.size()), static_cast<int32_t>(contrast.worse.size())});
    numbers.insert(numbers.end(), contrast.better.begin(), contrast.better.end());
    numbers.insert(numbers.end(), contrast.worse.begin(), contrast.worse.end());
  }
  return numbers;
}

std::vector<Contrast> unpacked(std::span<const int32_t> numbers, const ParallelCorpus& corpus) {
  Numbers in(numbers);
  std::vector<Contrast> contrasts;
  int64_t before = -1;
  for (int32_t left = in.next(); left > 0; --left) {
    Contrast contrast;
    contrast.pair = in.next();
    contrast.difference = std::bit_cast<float>(in.next());
    const int32_t better = in.next(), worse = in.next();
    contrast.better = in.next(better);
    contrast.worse = in.next(worse);
    if (contrast.pair <= before || contrast.pair >= corpus.size())
      fail(ErrorKind::data, "contrasts: {} pairs have no number {} behind {}", corpus.size(), contrast.pair,
           before);
    before = contrast.pair;
    contrasts.push_back(std::move(contrast));
  }
  if (!in.at_end()) fail(ErrorKind::data, "contrasts: more numbers than they have");
  return contrasts;
}

}  // namespace xf::data
