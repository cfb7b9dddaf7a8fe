// Random sentences of the demo grammar.
#pragma once

#include <string>
#include <utility>

#include "core/philox.h"
#include "data/demo/grammar.h"

namespace xf::data::demo {

class SentenceGenerator {
 public:
  explicit SentenceGenerator(PhiloxSequence random) : random_(random) {}

  // English and German, any length, with capital and full stop or question mark.
  std::pair<std::string, std::string> sentence();

 private:
  // What a clause may hold, so that no English sentence can be read in two ways: whatever could
  // belong to an outer or an inner clause is left out of one of them.
  struct Wishes {
    bool main = true;       // may begin with the time, be negated, say how often
    bool trailing = true;   // companion, place and time may follow the object
    bool relative = false;  // subject or object gets a relative clause
    bool question = false;
    bool present_only = false;  // behind "when": "wenn"; the past would be "als"
    bool place = true;
    bool time = true;
    bool motion = true;  // "where" with a verb of motion would be "wohin"
  };

  bool chance(uint32_t percent) { return random_.below(100) < percent; }
  template <typename T, size_t N>
  const T& pick(const T (&table)[N]) {
    return table[random_.below(static_cast<uint32_t>(N))];
  }
  template <typename T, size_t N, typename Fits>
  const T* pick_if(const T (&table)[N], Fits fits);

  Tense tense(const Wishes& wishes);
  const Verb* verb(Frame frame);
  Frame frame(bool motion);
  const TimeAdverb* time(Tense tense);
  NounPhrase noun_phrase(Class kind, bool definite, uint32_t plural_chance = 25,
                         uint32_t adjective_chance = 30);
  NounPhrase subject(Class kind, bool definite);
  NounPhrase object(Class kind, const NounPhrase& subject, bool definite);
  PrepositionalPhrase prepositional(const Preposition& preposition);
  void add_objects(Clause& clause);
  void add_places(Clause& clause, const Wishes& wishes);
  void add_time(Clause& clause, const Wishes& wishes);
  void add_relative(Clause& clause);
  Clause relative_clause(const NounPhrase& head);
  Clause clause(const Wishes& wishes);
  Clause copula(const Wishes& wishes);
  Clause said_clause(const Clause& outer);
  Clause tried_clause(const Clause& outer);
  Clause reporting(Frame frame);
  std::pair<Clause, Clause> clauses_of_one_time(const Wishes& first, const Wishes& second);

  std::pair<std::string, std::string> question();
  std::pair<std::string, std::string> subordinate(bool first);
  std::pair<std::string, std::string> coordination();

  PhiloxSequence random_;
};

}  // namespace xf::data::demo
