#include "data/demo/grammar.h"

#include <fmt/core.h>

namespace xf::data::demo {
namespace {

bool starts_with_vowel(std::string_view word) {
  return std::string_view("aeiou").find(word.front()) != std::string_view::npos;
}

std::string english_verb_phrase(const Clause& clause, std::string_view verb);

std::string english_relative(const NounPhrase& phrase) {
  const Clause& clause = *phrase.relative;
  const bool person_acts = clause.gap == Gap::subject && (phrase.noun->kind & kPerson) != 0;
  return (person_acts ? "who " : "that ") + english_statement(clause);
}

std::string english_phrase(const NounPhrase& phrase, bool is_subject) {
  if (!phrase.present()) return {};
  if (phrase.pronoun != nullptr)
    return std::string(is_subject ? phrase.pronoun->english : phrase.pronoun->english_object);
  if (!phrase.name.empty()) return std::string(phrase.name);
  const std::string_view noun = phrase.plural ? phrase.noun->english_plural : phrase.noun->english;
  const std::string_view next = phrase.adjective != nullptr ? phrase.adjective->english : noun;
  std::string text(phrase.determiner == &kA && starts_with_vowel(next) ? "an" : phrase.determiner->english);
  if (phrase.adjective != nullptr) add_words(text, phrase.adjective->english);
  add_words(text, noun);
  if (phrase.relative != nullptr) add_words(text, english_relative(phrase));
  return text;
}

std::string english_prepositional(const PrepositionalPhrase& phrase) {
  if (phrase.preposition == nullptr) return {};
  return fmt::format("{} {}", phrase.preposition->english, english_phrase(phrase.phrase, false));
}

std::string_view english_be(Person person, Tense tense) {
  constexpr std::string_view kForms[2][4] = {{"am", "is", "are", "are"}, {"was", "was", "were", "were"}};
  return kForms[tense == Tense::past ? 1 : 0][index(person)];
}

// The word that carries tense and "not", and what is left for the end: "did" + "buy", "cannot" +
// "buy", "" + "bought".
struct EnglishVerb {
  std::string finite, rest;
};

EnglishVerb english_verb(const Clause& clause, Person person, bool question) {
  const Verb& verb = *clause.verb;
  const bool third = person == Person::third_singular;
  const std::string base(verb.english);
  const std::string_view negation = clause.negated ? " not" : "";
  switch (clause.tense) {
    case Tense::future: return {fmt::format("will{}", negation), base};
    case Tense::can: return {clause.negated ? "cannot" : "can", base};
    case Tense::must: return {"must", base};
    case Tense::want:
      if (question || clause.negated)
        return {fmt::format("{}{}", third ? "does" : "do", negation), "want to " + base};
      return {"", (third ? "wants to " : "want to ") + base};
    case Tense::past:
      if (question || clause.negated) return {fmt::format("did{}", negation), base};
      return {"", std::string(verb.english_past)};
    case Tense::present: break;
  }
  if (question || clause.negated) return {fmt::format("{}{}", third ? "does" : "do", negation), base};
  return {"", std::string(third ? verb.english_third : verb.english)};
}

// From the verb on: "picked the child up", "gave the man an old book in the garden yesterday".
std::string english_verb_phrase(const Clause& clause, std::string_view verb) {
  std::string text;
  if (clause.frequency != nullptr) add_words(text, clause.frequency->english);
  add_words(text, verb);
  const bool particle_last = clause.verb->particle_is_adverb && clause.object.pronoun != nullptr;
  if (!particle_last) add_words(text, clause.verb->particle);
  add_words(text, english_phrase(clause.recipient, false));
  add_words(text, english_phrase(clause.object, false));
  if (particle_last) add_words(text, clause.verb->particle);
  add_words(text, english_prepositional(clause.companion));
  add_words(text, english_prepositional(clause.place));
  if (clause.time != nullptr && !clause.time_first) add_words(text, clause.time->english);
  if (clause.complement != nullptr && clause.verb->frame == Frame::that_clause) {
    add_words(text, "that " + english_statement(*clause.complement));
  } else if (clause.complement != nullptr) {
    add_words(text, "to " + english_verb_phrase(*clause.complement, clause.complement->verb->english));
  }
  return text;
}

std::string english_predicate(const Clause& clause) {
  std::string text = fmt::format("{}{}", clause.negated ? "not " : "", clause.predicate->english);
  if (clause.time != nullptr && !clause.time_first) add_words(text, clause.time->english);
  return text;
}

}  // namespace

std::string english_statement(const Clause& clause) {
  const Person person = person_of(clause.subject);
  std::string text;
  if (clause.time != nullptr && clause.time_first) add_words(text, clause.time->english);
  if (clause.gap != Gap::subject) add_words(text, english_phrase(clause.subject, true));
  if (clause.verb == nullptr) {
    add_words(text, english_be(person, clause.tense));
    add_words(text, english_predicate(clause));
    return text;
  }
  const EnglishVerb verb = english_verb(clause, person, false);
  add_words(text, verb.finite);
  add_words(text, english_verb_phrase(clause, verb.rest));
  return text;
}

std::string english_question(const Clause& clause) {
  const Person person = person_of(clause.subject);
  if (clause.verb == nullptr) {
    return fmt::format("{} {} {}", english_be(person, clause.tense), english_phrase(clause.subject, true),
                       english_predicate(clause));
  }
  const EnglishVerb verb = english_verb(clause, person, true);
  return fmt::format("{} {} {}", verb.finite, english_phrase(clause.subject, true),
                     english_verb_phrase(clause, verb.rest));
}

}  // namespace xf::data::demo
