#include "data/diversification.h"

#include "core/error.h"
#include "data/id_reader.h"

namespace xf::data {

ParallelCorpus diversified(const ParallelCorpus& corpus, const OwnTranslations& own, int64_t epoch) {
  XF_CHECK(own.of_sources.size() == corpus.size() && own.of_targets.size() == corpus.size(),
           "diversified: {} pairs, and translations of {} and {}", corpus.size(), own.of_sources.size(),
           own.of_targets.size());
  ParallelCorpus read = {.parts = corpus.parts,
                         .source = {},
                         .target = {},
                         .targets_end = corpus.targets_end,
                         .lines = {},
                         .prepared = nullptr,
                         .statistics = corpus.statistics};
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const int64_t turn = (i + epoch) % 3;
    const bool own_target = turn == 1 && own.of_sources.length(i) > 0,
               own_source = turn == 2 && own.of_targets.length(i) > 0;
    read.source.push_back(own_source ? own.of_targets[i] : corpus.source[i]);
    read.target.push_back(own_target ? own.of_sources[i] : corpus.target[i]);
    read.lines.push_back(corpus.line(i));
  }
  return read;
}

std::vector<int32_t> packed(const Sequences& sequences) {
  std::vector<int32_t> numbers;
  for (int64_t i = 0; i < sequences.size(); ++i) {
    const std::vector<int32_t> ids = sequences[i];
    numbers.push_back(static_cast<int32_t>(ids.size()));
    numbers.insert(numbers.end(), ids.begin(), ids.end());
  }
  return numbers;
}

Sequences unpacked(std::span<const int32_t> numbers, int64_t size) {
  IdReader in(numbers, "translations of the text");
  Sequences sequences;
  for (int64_t i = 0; i < size; ++i) sequences.push_back(in.next(in.next()));
  in.end();
  return sequences;
}

}  // namespace xf::data
