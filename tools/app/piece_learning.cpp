#include "tools/app/piece_learning.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "tools/console/progress.h"

namespace xf::tools {

namespace {

// Of a character of a long word and a piece to learn, at most: measured on Chinese. Japanese takes
// a quarter of it.
constexpr double kSeconds = 6e-9;
constexpr double kWorthTelling = 5;

void announce_learning(const data::BpeSample& sample, int32_t pieces, const Announce& announce) {
  const int64_t learnt_from = std::min(sample.unspaced, data::kMostUnspaced);
  const double seconds = kSeconds * static_cast<double>(learnt_from) * pieces;
  if (seconds < kWorthTelling) return;
  const std::string share = sample.share < 1
                                ? fmt::format("{} of the {}", grouped(learnt_from), grouped(sample.unspaced))
                                : grouped(learnt_from);
  announce.tell(fmt::format("learning {} pieces from {} characters without spaces between words: up to {}",
                            grouped(pieces), share, rough_time(seconds)));
}

}  // namespace

std::unique_ptr<data::Tokenizer> learn_pieces(const std::vector<const std::vector<std::string>*>& texts,
                                              const data::BpeOptions& options, const Announce& announce) {
  using Clock = std::chrono::steady_clock;
  announce_learning(data::bpe_sample(texts), options.vocab_size, announce);
  const auto begin = Clock::now();
  auto told = begin;
  const auto waiting = [&] {
    if (Clock::now() - told < std::chrono::seconds(1)) return;
    told = Clock::now();
    const std::chrono::duration<double> passed = told - begin;
    announce(fmt::format("learning the vocabulary ... {}", rough_time(passed.count())));
  };
  return data::make_sentencepiece_tokenizer(data::train_bpe(texts, options, waiting),
                                            "the trained vocabulary");
}

}  // namespace xf::tools
