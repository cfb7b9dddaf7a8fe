// A small English-German corpus that the project makes itself, so that the first command works
// without a network: sentences of 5 to 14 words whose German needs reordering and agreement
// (data/demo/grammar.h), so that a dictionary alone cannot translate them. Every German sentence is
// a function of the English one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/demo/pair_files.h"

namespace xf::data {

inline constexpr size_t kDemoTrainPairs = 20000;
inline constexpr size_t kDemoHeldOutPairs = 500;  // validation, and as many for the test

struct DemoCorpus {
  SentencePairs train, valid, test;  // English, German; none is there twice
};

// The same seed gives the same corpus everywhere.
DemoCorpus make_demo_corpus(uint64_t seed = 1);

// Writes train.en, train.de, valid.en, valid.de, test.en, test.de into `folder`, which is made if
// it is missing; files of these names are replaced. Throws Error(resources) if that fails. Of other
// numbers of pairs to train on, the first ones are the same, held-out ones never are among them,
// and a sentence may come again: for corpora as large as one likes, in constant memory.
void write_demo_corpus(const std::string& folder, uint64_t seed = 1, int64_t train_pairs = kDemoTrainPairs);

}  // namespace xf::data
