#include "data/demo/corpus.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/philox.h"
#include "data/demo/sentence_generator.h"

namespace xf::data {
namespace {

constexpr uint64_t kSentenceStream = 0x64656d6f;  // "demo": a sequence that no other use of the
                                                  // seed shares

bool has_demo_length(const std::string& sentence) {
  const auto words = 1 + std::count(sentence.begin(), sentence.end(), ' ');
  return words >= 5 && words <= 14;
}

SentencePair next_pair(demo::SentenceGenerator& generator) {
  while (true) {
    SentencePair pair = generator.sentence();
    if (has_demo_length(pair.first) && has_demo_length(pair.second)) return pair;
  }
}

DemoCorpus make(demo::SentenceGenerator& generator) {
  std::unordered_map<std::string, std::string> translations;
  std::unordered_set<std::string> german_sentences;
  DemoCorpus corpus;
  while (corpus.test.size() < kDemoHeldOutPairs) {
    auto [english, german] = next_pair(generator);
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

demo::SentenceGenerator generator_of(uint64_t seed) {
  return demo::SentenceGenerator(PhiloxSequence(seed, kSentenceStream));
}

}  // namespace

DemoCorpus make_demo_corpus(uint64_t seed) {
  demo::SentenceGenerator generator = generator_of(seed);
  return make(generator);
}

void write_demo_corpus(const std::string& folder, uint64_t seed, int64_t train_pairs) {
  demo::SentenceGenerator generator = generator_of(seed);
  DemoCorpus corpus = make(generator);
  std::unordered_set<std::string> held_out;  // of either language
  for (const SentencePairs* part : {&corpus.valid, &corpus.test}) {
    for (const auto& [english, german] : *part) held_out.insert({english, german});
  }
  int64_t left = train_pairs - std::ssize(corpus.train);
  if (left < 0) corpus.train.resize(static_cast<size_t>(train_pairs));
  const auto more = [&](SentencePair& pair) {
    if (left-- <= 0) return false;
    do pair = next_pair(generator);
    while (held_out.contains(pair.first) || held_out.contains(pair.second));
    return true;
  };
  write_pair_files(folder, {".en", ".de"},
                   {{"train", &corpus.train}, {"valid", &corpus.valid}, {"test", &corpus.test}}, more);
}

}  // namespace xf::data
