// One meaning, two languages: a clause as a tree, and the rules that say it in English and in
// German. The generator (demo_corpus.cpp) fills the trees; nothing here is random.
//
// German needs what a word list cannot know: gender, case and number of articles, adjectives and
// relative pronouns; the finite verb second, first or last; infinitive, participle and separable
// prefix at the end of the clause.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "data/demo/lexicon.h"

namespace xf::data::demo {

struct Clause;

// A pronoun, a name, or determiner + adjective + noun + relative clause; the first of these that is
// set.
struct NounPhrase {
  const Pronoun* pronoun = nullptr;
  std::string_view name = {};
  const Noun* noun = nullptr;  // null in a phrase that is absent
  const Determiner* determiner = nullptr;
  const Adjective* adjective = nullptr;
  bool plural = false;
  std::shared_ptr<const Clause> relative = nullptr;  // its `gap` is this phrase's part in it

  bool present() const { return pronoun != nullptr || !name.empty() || noun != nullptr; }
};

struct PrepositionalPhrase {
  const Preposition* preposition = nullptr;
  NounPhrase phrase;
};

// The part of a relative clause that its pronoun plays.
enum class Gap { none, subject, object };

struct Clause {
  NounPhrase subject;
  const Verb* verb = nullptr;
  const Adjective* predicate = nullptr;  // "is tired", if there is no verb
  Tense tense = Tense::present;
  bool negated = false;
  NounPhrase recipient, object;
  PrepositionalPhrase companion, place;
  const TimeAdverb* time = nullptr;
  bool time_first = false;
  const Frequency* frequency = nullptr;
  std::shared_ptr<const Clause> complement = nullptr;  // "knows that ...", "tries to ..." (no
                                                       // subject there)
  Gap gap = Gap::none;
};

inline Person person_of(const NounPhrase& phrase) {
  if (phrase.pronoun != nullptr) return phrase.pronoun->person;
  return phrase.plural ? Person::third_plural : Person::third_singular;
}

inline bool same_noun(const NounPhrase& a, const NounPhrase& b) {
  return a.noun != nullptr && a.noun == b.noun;
}

inline bool is_first_person(const NounPhrase& phrase) {
  return phrase.pronoun != nullptr && phrase.pronoun->person != Person::third_singular &&
         phrase.pronoun->person != Person::third_plural;
}

// The place of an enumerator in a table.
inline size_t index(auto value) { return static_cast<size_t>(value); }

// Behind a space, unless `words` is empty, first, or begins with a comma.
inline void add_words(std::string& text, std::string_view words) {
  if (words.empty()) return;
  if (!text.empty() && words.front() != ',') text += ' ';
  text += words;
}

// "the old man bought a book yesterday"
std::string english_statement(const Clause& clause);

// "did the old man buy a book yesterday"
std::string english_question(const Clause& clause);

enum class WordOrder {
  verb_second,  // "gestern hat der alte Mann ein Buch gekauft"
  verb_first,   // "hat der alte Mann gestern ein Buch gekauft": questions, and behind a fronted
                // clause
  verb_last,    // "der alte Mann gestern ein Buch gekauft hat": behind a conjunction
  infinitive,   // "ein Buch zu kaufen"
};

// Commas that close an embedded clause are written where it ends; the sentence drops the
// superfluous ones.
std::string german_clause(const Clause& clause, WordOrder order);

}  // namespace xf::data::demo
