#include "data/demo/corpus.h"

#include <algorithm>
#include <filesystem>
#include <list>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/file_writer.h"
#include "core/philox.h"
#include "data/demo/sampler.h"

namespace xf::data {
namespace {

constexpr uint64_t kSentenceStream = 0x64656d6f;  // "demo": a sequence that no other use of the seed shares

bool has_demo_length(const std::string& sentence) {
  const auto words = 1 + std::count(sentence.begin(), sentence.end(), ' ');
  return words >= 5 && words <= 14;
}

std::string joined(const SentencePairs& pairs, bool english) {
  std::string text;
  for (const auto& pair : pairs) text += (english ? pair.first : pair.second) + '\n';
  return text;
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
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    fail(ErrorKind::resources, "{}: cannot make the folder ({}); give another one", folder, error.message());
  const DemoCorpus corpus = make_demo_corpus(seed);
  std::list<FileWriter> files;  // a full disk shows before the first of them has its name
  for (const auto& [name, pairs] :
       {std::pair{"train", &corpus.train}, {"valid", &corpus.valid}, {"test", &corpus.test}}) {
    for (const bool english : {true, false})
      files.emplace_back(folder + "/" + name + (english ? ".en" : ".de")).write(joined(*pairs, english));
  }
  for (FileWriter& file : files) file.commit();
}

}  // namespace xf::data
