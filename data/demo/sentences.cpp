// The generator's sentences: one clause, or two with a conjunction, a question word, or one inside
// the other.
#include <fmt/core.h>

#include <memory>

#include "data/demo/sentence_generator.h"

namespace xf::data::demo {
namespace {

using Pair = std::pair<std::string, std::string>;

std::string with_capital(std::string text) {
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

// The comma behind an embedded clause goes where another comma or the end of the sentence follows.
std::string drop_commas(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] != ',' || (next != ',' && next != '.' && next != '?')) result += text[i];
  }
  return result;
}

Pair finish(const Pair& words, char mark) {
  return {with_capital(words.first + mark), drop_commas(with_capital(words.second + mark))};
}

}  // namespace

// Behind "that": in the past if the saying is.
Clause SentenceGenerator::said_clause(const Clause& outer) {
  Clause inner = clause({.main = false});
  while ((inner.tense == Tense::past) != (outer.tense == Tense::past)) inner = clause({.main = false});
  return inner;
}

// Behind "to": something to do, not to oneself.
Clause SentenceGenerator::tried_clause(const Clause& outer) {
  const bool first_person = is_first_person(outer.subject);
  while (true) {
    const Clause inner = clause({.main = false, .time = false});
    const bool reflexive =
        same_noun(inner.object, outer.subject) ||
        (first_person && (is_first_person(inner.object) || is_first_person(inner.recipient)));
    if (inner.verb != nullptr && !reflexive) return inner;
  }
}

// "knows that ...", "tries to ..."
Clause SentenceGenerator::reporting(Frame frame) {
  Clause clause;
  clause.verb = verb(frame);
  clause.tense = chance(50) ? Tense::past : Tense::present;
  clause.negated = chance(15);
  clause.subject = subject(kPerson, clause.negated);
  clause.subject.adjective = nullptr;
  clause.complement =
      std::make_shared<Clause>(frame == Frame::that_clause ? said_clause(clause) : tried_clause(clause));
  return clause;
}

Pair SentenceGenerator::question() {
  if (chance(55)) {
    const Clause asked = clause({.question = true});
    return {english_question(asked), german_clause(asked, WordOrder::verb_first)};
  }
  const Conjunction& word = pick(kQuestionWords);
  const bool where = word.english == "where", when = word.english == "when";
  const Clause asked = clause({.question = true, .place = !where, .time = !when, .motion = !where});
  return {fmt::format("{} {}", word.english, english_question(asked)),
          fmt::format("{} {}", word.german, german_clause(asked, WordOrder::verb_first))};
}

// Both in the past or neither, and at most one of them says when.
std::pair<Clause, Clause> SentenceGenerator::clauses_of_one_time(const Wishes& first, const Wishes& second) {
  const Clause one = clause(first);
  Clause other = clause(second);
  while ((one.tense == Tense::past) != (other.tense == Tense::past) ||
         (one.time != nullptr && other.time != nullptr)) {
    other = clause(second);
  }
  return {one, other};
}

Pair SentenceGenerator::subordinate(bool first) {
  const Conjunction& word = pick(kSubordinators);
  const bool when = word.english == "when";
  const auto [inner, outer] = clauses_of_one_time({.main = false, .present_only = when},
                                                  {.trailing = false, .present_only = when, .time = !first});
  const std::string english = fmt::format("{} {}", word.english, english_statement(inner));
  const std::string german = fmt::format("{} {}", word.german, german_clause(inner, WordOrder::verb_last));
  if (first) {
    return {fmt::format("{}, {}", english, english_statement(outer)),
            fmt::format("{}, {}", german, german_clause(outer, WordOrder::verb_first))};
  }
  return {fmt::format("{} {}", english_statement(outer), english),
          fmt::format("{}, {}", german_clause(outer, WordOrder::verb_second), german)};
}

Pair SentenceGenerator::coordination() {
  const Conjunction& word = pick(kCoordinators);
  const std::string_view comma = word.english == "but" ? "," : "";
  const auto [left, right] = clauses_of_one_time({.trailing = false}, {.main = false});
  return {fmt::format("{}{} {} {}", english_statement(left), comma, word.english, english_statement(right)),
          fmt::format("{}{} {} {}", german_clause(left, WordOrder::verb_second), comma, word.german,
                      german_clause(right, WordOrder::verb_second))};
}

Pair SentenceGenerator::sentence() {
  const uint32_t kind = random_.below(100);
  if (kind < 14) return finish(question(), '?');
  if (kind < 28) return finish(subordinate(false), '.');
  if (kind < 40) return finish(subordinate(true), '.');
  if (kind < 46) return finish(coordination(), '.');
  const Clause said = kind < 54   ? reporting(Frame::that_clause)
                      : kind < 62 ? reporting(Frame::infinitive)
                      : kind < 74 ? clause({.trailing = false, .relative = true})
                                  : clause({});
  return finish({english_statement(said), german_clause(said, WordOrder::verb_second)}, '.');
}

}  // namespace xf::data::demo
