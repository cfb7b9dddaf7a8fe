#include "data/demo/corpus.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/philox.h"
#include "data/demo/sampler.h"

namespace xf::data {
namespace {

constexpr uint64_t kSentenceStream = 0x64656d6f;  // "demo": a sequence that no other use of the seed shares

bool has_demo_length(const std::string& sentence) {
  const auto words = 1 + std::count(sentence.begin(), sentence.end(), ' ');
  return words >= 5 && words <= 14;
}

}  // namespace

DemoCorpus make_demo_corpus(uint64_t seed) {
  demo::Sampler sampler(PhiloxSequence(seed, kSentenceStream));
  std::unordered_map<std::string, std::string> translations;
  std::unordered_set<std::string> german_sentences;
  DemoCorpus corpus;
  while (corpus.test.size() < kDemoHeldOutPairs) {
    auto [english, german] = sampler.sentence();
    if (!has_demo_length(english) || !has_demo_length(german)) continue;
    const auto [known, is_new] = translations.emplace(english, german);
    XF_CHECK(known->second == german, "demo grammar: '{}' is both '{}' and '{}'", english, known->second,
             german);
    if (!is_new || !german_sentences.insert(german).second) continue;
    SentencePairs& part = corpus.train.size() < kDemoTrainPairs     ? corpus.train
                          : corpus.valid.size() < kDemoHeldOutPairs ? corpus.valid
                                                                    : corpus.test;
    part.emplace_back(std::move(english), std::move(german));
  }
  return corpus;
}

void write_demo_corpus(const std::string& folder, uint64_t seed) {
  const DemoCorpus corpus = make_demo_corpus(seed);
  write_pair_files(folder, {".en", ".de"},
                   {{"train", &corpus.train}, {"valid", &corpus.valid}, {"test", &corpus.test}});
}

}  // namespace xf::data
