// The demo corpus: its German against sentences a German speaker wrote, its promise that a
// dictionary cannot translate it, and what a corpus needs (no sentence twice, the same bytes every
// time).
#include "data/demo/corpus.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/demo/grammar.h"
#include "data/score/bleu.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::data;
using namespace xf::data::demo;

const DemoCorpus& corpus() {
  static const DemoCorpus made = make_demo_corpus();
  return made;
}

template <typename Table>
const auto* entry(const Table& table, std::string_view english) {
  for (const auto& candidate : table) {
    if (candidate.english == english) return &candidate;
  }
  throw std::runtime_error("no such word in the lexicon: " + std::string(english));
}

const Verb* verb(std::string_view english, std::string_view particle = "") {
  for (const Verb& candidate : kVerbs) {
    if (candidate.english == english && candidate.particle == particle) return &candidate;
  }
  throw std::runtime_error("no such verb in the lexicon: " + std::string(english));
}

NounPhrase phrase(std::string_view determiner, std::string_view adjective, std::string_view noun,
                  bool plural = false) {
  NounPhrase result;
  result.determiner = entry(kDeterminers, determiner);
  if (!adjective.empty()) result.adjective = entry(kAdjectives, adjective);
  result.noun = entry(kNouns, noun);
  result.plural = plural;
  return result;
}

NounPhrase pronoun(std::string_view english) {
  NounPhrase result;
  result.pronoun = entry(kPronouns, english);
  return result;
}

// Words, and each punctuation mark by itself.
std::vector<std::string> words(const std::string& sentence) {
  const std::string text = bleu_tokenize(lower_case(sentence), BleuTokenizer::mteval_13a);
  std::vector<std::string> result;
  for (const std::string_view word : split_on_space(text)) result.emplace_back(word);
  return result;
}

// [english][german]
using Table = std::unordered_map<std::string, std::unordered_map<std::string, double>>;

// IBM model 1 (Brown et al. 1993): p(german word | english word) by expectation maximisation.
Table ibm_model_1(const SentencePairs& pairs, int iterations) {
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> tokens;
  for (const auto& [english, german] : pairs) tokens.emplace_back(words(english), words(german));
  Table table;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    Table counts;
    for (const auto& [sources, targets] : tokens) {
      for (const std::string& target : targets) {
        double sum = 0;
        for (const std::string& source : sources) sum += iteration == 0 ? 1.0 : table[source][target];
        for (const std::string& source : sources) {
          counts[source][target] += (iteration == 0 ? 1.0 : table[source][target]) / sum;
        }
      }
    }
    for (auto& [source, row] : counts) {
      double sum = 0;
      for (const auto& cell : row) sum += cell.second;
      for (auto& cell : row) cell.second /= sum;
    }
    table = std::move(counts);
  }
  return table;
}

std::map<std::string, std::string> best_dictionary(const SentencePairs& pairs) {
  std::map<std::string, std::string> dictionary;
  for (const auto& [source, row] : ibm_model_1(pairs, 5)) {
    const auto best = std::max_element(row.begin(), row.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second, b.first) < std::pair(b.second, a.first);
    });
    dictionary[source] = best->first;
  }
  return dictionary;
}

double dictionary_bleu(const std::map<std::string, std::string>& dictionary, const SentencePairs& pairs) {
  std::vector<std::string> hypotheses, references;
  for (const auto& [english, german] : pairs) {
    std::string line;
    for (const std::string& word : words(english)) line += (line.empty() ? "" : " ") + dictionary.at(word);
    hypotheses.push_back(line);
    references.push_back(german);
  }
  return corpus_bleu(hypotheses, references, {.lowercase = true}).score;
}

}  // namespace

// Expected sentences are textbook German, written by hand.
TEST_CASE("Demo grammar: articles and adjectives agree in gender, case and number", "[unit]") {
  Clause clause;
  clause.subject = phrase("the", "old", "man");
  clause.verb = verb("give");
  clause.recipient = phrase("a", "small", "girl");
  clause.object = phrase("two", "red", "flower", true);
  CHECK(english_statement(clause) == "the old man gives a small girl two red flowers");
  CHECK(german_clause(clause, WordOrder::verb_second) ==
        "der alte Mann gibt einem kleinen Mädchen zwei rote Blumen");
  clause.subject = phrase("my", "friendly", "neighbour", true);
  clause.recipient = phrase("the", "", "child", true);
  clause.object = phrase("a", "expensive", "coat");
  CHECK(english_statement(clause) == "my friendly neighbours give the children an expensive coat");
  CHECK(german_clause(clause, WordOrder::verb_second) ==
        "meine freundlichen Nachbarn geben den Kindern einen teuren Mantel");
  clause.recipient = phrase("this", "tired", "boy");
  CHECK(german_clause(clause, WordOrder::verb_second) ==
        "meine freundlichen Nachbarn geben diesem müden Jungen einen teuren Mantel");
}

TEST_CASE("Demo grammar: the verb goes second, first, last, and takes its prefix along", "[unit]") {
  Clause clause;
  clause.subject = phrase("the", "", "woman");
  clause.verb = verb("open");
  clause.object = phrase("the", "", "window");
  clause.time = entry(kTimes, "today");
  clause.time_first = true;
  CHECK(english_statement(clause) == "today the woman opens the window");
  CHECK(german_clause(clause, WordOrder::verb_second) == "heute macht die Frau das Fenster auf");
  clause.time_first = false;
  CHECK(english_question(clause) == "does the woman open the window today");
  CHECK(german_clause(clause, WordOrder::verb_first) == "macht die Frau heute das Fenster auf");
  CHECK(german_clause(clause, WordOrder::verb_last) == "die Frau heute das Fenster aufmacht");
  CHECK(german_clause(clause, WordOrder::infinitive) == "heute das Fenster aufzumachen");
  clause.tense = Tense::past;
  CHECK(german_clause(clause, WordOrder::verb_second) == "die Frau hat heute das Fenster aufgemacht");
  CHECK(german_clause(clause, WordOrder::verb_last) == "die Frau heute das Fenster aufgemacht hat");
  clause.tense = Tense::want;
  clause.negated = true;
  CHECK(english_statement(clause) == "the woman does not want to open the window today");
  CHECK(german_clause(clause, WordOrder::verb_second) == "die Frau will heute das Fenster nicht aufmachen");
}

TEST_CASE("Demo grammar: pronouns, contractions, sein, kein, and relative clauses behind the verb",
          "[unit]") {
  Clause go;
  go.subject = pronoun("they");
  go.verb = verb("go");
  go.tense = Tense::past;
  go.place = {&kDirections[0], phrase("the", "", "house")};
  CHECK(german_clause(go, WordOrder::verb_second) == "sie sind ins Haus gegangen");

  Clause pick_up;
  pick_up.subject = pronoun("I");
  pick_up.verb = verb("pick", "up");
  pick_up.object = pronoun("he");
  CHECK(english_statement(pick_up) == "I pick him up");
  CHECK(german_clause(pick_up, WordOrder::verb_second) == "ich hole ihn ab");
  pick_up.object = phrase("a", "", "student");
  pick_up.negated = true;
  CHECK(english_statement(pick_up) == "I do not pick up a student");
  CHECK(german_clause(pick_up, WordOrder::verb_second) == "ich hole keinen Studenten ab");

  auto relative = std::make_shared<Clause>();
  relative->subject = pronoun("we");
  relative->verb = verb("help");
  relative->tense = Tense::past;
  relative->gap = Gap::object;
  pick_up.negated = false;
  pick_up.object = phrase("the", "", "child", true);
  pick_up.object.relative = relative;
  CHECK(english_statement(pick_up) == "I pick up the children that we helped");
  CHECK(german_clause(pick_up, WordOrder::verb_second) ==
        "ich hole die Kinder ab, denen wir geholfen haben,");
}

TEST_CASE("Demo corpus: 20,000 + 500 + 500 pairs, of which no sentence is there twice", "[unit]") {
  CHECK(corpus().train.size() == kDemoTrainPairs);
  CHECK(corpus().valid.size() == kDemoHeldOutPairs);
  CHECK(corpus().test.size() == kDemoHeldOutPairs);
  std::set<std::string> english, german;
  for (const auto* part : {&corpus().train, &corpus().valid, &corpus().test}) {
    for (const auto& pair : *part) {
      CHECK(english.insert(pair.first).second);
      CHECK(german.insert(pair.second).second);
    }
  }
}

TEST_CASE("Demo corpus: every held-out word is in the training part, which has 300 to 600 words a side",
          "[unit]") {
  const auto vocabulary = [](const SentencePairs& pairs) {
    std::pair<std::set<std::string>, std::set<std::string>> result;
    for (const auto& [english, german] : pairs) {
      for (const std::string& word : words(english)) result.first.insert(word);
      for (const std::string& word : words(german)) result.second.insert(word);
    }
    return result;
  };
  const auto train = vocabulary(corpus().train);
  for (const size_t size : {train.first.size(), train.second.size()}) {
    CHECK(size >= 300);
    CHECK(size <= 600);
  }
  for (const auto* part : {&corpus().valid, &corpus().test}) {
    const auto held_out = vocabulary(*part);
    CHECK(
        std::includes(train.first.begin(), train.first.end(), held_out.first.begin(), held_out.first.end()));
    CHECK(std::includes(train.second.begin(), train.second.end(), held_out.second.begin(),
                        held_out.second.end()));
  }
}

TEST_CASE("Demo corpus: sentences have 5 to 14 words, a capital and a mark, and clean commas", "[unit]") {
  for (const auto& [english, german] : corpus().train) {
    for (const std::string& sentence : {english, german}) {
      const auto length = split_on_space(sentence).size();
      const bool clean = sentence.find("  ") == std::string::npos &&
                         sentence.find(" ,") == std::string::npos &&
                         sentence.find(",,") == std::string::npos &&
                         sentence.find(",.") == std::string::npos && sentence.find(",?") == std::string::npos;
      const bool ends = sentence.back() == '.' || sentence.back() == '?';
      if (length < 5 || length > 14 || !clean || !ends || std::isupper(sentence.front()) == 0) FAIL(sentence);
    }
  }
}

TEST_CASE("Demo corpus: the best word-by-word dictionary stays below 40 BLEU on the held-out part",
          "[unit]") {
  const auto dictionary = best_dictionary(corpus().train);
  CHECK(dictionary.at("window") == "fenster");  // it is a dictionary: it knows the nouns
  CHECK(dictionary.at("because") == "weil");
  const double valid = dictionary_bleu(dictionary, corpus().valid),
               test = dictionary_bleu(dictionary, corpus().test);
  INFO("BLEU of the dictionary: valid " << valid << ", test " << test);
  CHECK(valid < 40.0);
  CHECK(test < 40.0);
  CHECK(test > 5.0);  // and it does translate
}

TEST_CASE("Demo corpus: a seed gives the same corpus, another seed another one", "[unit]") {
  const DemoCorpus again = make_demo_corpus();
  CHECK(again.train == corpus().train);
  CHECK(again.test == corpus().test);
  CHECK(make_demo_corpus(2).train != corpus().train);
}

TEST_CASE("write_demo_corpus: six files, one sentence a line", "[unit]") {
  const xf::tests::TemporaryFolder folder;
  write_demo_corpus(folder / "");
  for (const auto& [name, pairs] :
       {std::pair{"train", &corpus().train}, {"valid", &corpus().valid}, {"test", &corpus().test}}) {
    const auto english = read_lines(folder / name + ".en"), german = read_lines(folder / name + ".de");
    REQUIRE(english.size() == pairs->size());
    REQUIRE(german.size() == pairs->size());
    CHECK(english.back() == pairs->back().first);
    CHECK(german.back() == pairs->back().second);
  }
}

TEST_CASE("Demo corpus: with more pairs the first are the same, and none is held out", "[unit]") {
  const xf::tests::TemporaryFolder folder;
  const auto lines = [&](const std::string& name) { return read_raw_lines(folder / name); };
  write_demo_corpus(folder / "usual");
  for (const int64_t pairs : {100, 45000}) {
    write_demo_corpus(folder / "other", 1, pairs);
    for (const std::string side : {"en", "de"}) {
      const auto usual = lines("usual/train." + side), other = lines("other/train." + side);
      REQUIRE(std::ssize(other) == pairs);
      CHECK(std::equal(usual.begin(), usual.begin() + std::min<int64_t>(pairs, 20000), other.begin()));
      for (const std::string part : {"valid.", "test."}) {
        const auto held_out = lines("other/" + part + side);
        CHECK(held_out == lines("usual/" + part + side));
        const std::set<std::string> unseen(held_out.begin(), held_out.end());
        CHECK(std::ranges::none_of(other, [&](const std::string& line) { return unseen.contains(line); }));
      }
    }
  }
}
