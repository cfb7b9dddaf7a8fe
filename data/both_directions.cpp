#include "data/both_directions.h"

#include "core/philox.h"

namespace xf::data {

ParallelCorpus half_reversed(const ParallelCorpus& corpus, uint64_t seed, int64_t epoch) {
  // A stream that no shuffle has (data/bucket_batches.cpp), and no dropout.
  constexpr uint64_t kDirectionSite = 0xFFFFFFF9;
  PhiloxSequence random(seed, static_cast<uint64_t>(epoch / 2) << 32 | kDirectionSite);
  ParallelCorpus read = {.parts = corpus.parts,
                         .source = {},
                         .target = {},
                         .targets_end = corpus.targets_end,
                         .lines = corpus.lines,
                         .prepared = nullptr,
                         .statistics = corpus.statistics};
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const bool reversed = random.next() % 2 == static_cast<uint32_t>(epoch % 2);
    read.source.push_back(reversed ? corpus.target[i] : corpus.source[i]);
    read.target.push_back(reversed ? corpus.source[i] : corpus.target[i]);
  }
  return read;
}

}  // namespace xf::data
