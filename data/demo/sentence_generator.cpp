#include "data/demo/sentence_generator.h"

#include <vector>

namespace xf::data::demo {

template <typename T, size_t N, typename Fits>
const T* SentenceGenerator::pick_if(const T (&table)[N], Fits fits) {
  std::vector<const T*> fitting;
  for (const T& entry : table) {
    if (fits(entry)) fitting.push_back(&entry);
  }
  return fitting.empty() ? nullptr : fitting[random_.below(static_cast<uint32_t>(fitting.size()))];
}

Tense SentenceGenerator::tense(const Wishes& wishes) {
  if (wishes.present_only) return Tense::present;
  constexpr Tense kTenses[] = {Tense::present, Tense::present, Tense::present, Tense::past,
                               Tense::past,    Tense::past,    Tense::past,    Tense::future,
                               Tense::can,     Tense::must,    Tense::want};
  return pick(kTenses);
}

const Verb* SentenceGenerator::verb(Frame frame) {
  return pick_if(kVerbs, [&](const Verb& verb) { return verb.frame == frame; });
}

Frame SentenceGenerator::frame(bool motion) {
  constexpr Frame kFrames[] = {Frame::intransitive, Frame::intransitive, Frame::accusative, Frame::accusative,
                               Frame::accusative,   Frame::accusative,   Frame::accusative, Frame::dative,
                               Frame::ditransitive, Frame::motion};
  Frame frame = pick(kFrames);
  while (frame == Frame::motion && !motion) frame = pick(kFrames);
  return frame;
}

const TimeAdverb* SentenceGenerator::time(Tense tense) {
  return pick_if(kTimes, [&](const TimeAdverb& adverb) {
    return tense == Tense::present ? adverb.present : tense == Tense::past ? adverb.past : adverb.later;
  });
}

NounPhrase SentenceGenerator::noun_phrase(Class kind, bool definite, uint32_t plural_chance,
                                          uint32_t adjective_chance) {
  NounPhrase phrase;
  phrase.noun = pick_if(kNouns, [&](const Noun& noun) { return (noun.kind & kind) != 0; });
  const bool substance = phrase.noun->english_plural.empty();
  phrase.plural = !substance && chance(plural_chance);
  phrase.determiner = &kThe;
  if (!chance(45)) {
    phrase.determiner = pick_if(kDeterminers, [&](const Determiner& determiner) {
      const bool indefinite =
          &determiner == &kA || &determiner == &kEvery || determiner.declension == Declension::numeral;
      if (definite && indefinite) return false;
      if (determiner.possessive && (phrase.noun->kind & kUnrelated) != 0) return false;
      return (phrase.plural ? determiner.plural : determiner.singular) &&
             (!substance || determiner.substance);
    });
  }
  if (chance(adjective_chance)) {
    phrase.adjective = pick_if(
        kAdjectives, [&](const Adjective& adjective) { return (adjective.kind & phrase.noun->kind) != 0; });
  }
  return phrase;
}

NounPhrase SentenceGenerator::subject(Class kind, bool definite) {
  NounPhrase phrase;
  if ((kind & kPerson) != 0 && chance(30)) {
    phrase.pronoun = &pick(kPronouns);
  } else if ((kind & kPerson) != 0 && chance(12)) {
    phrase.name = pick(kNames);
  } else {
    phrase = noun_phrase(kind, definite);
  }
  return phrase;
}

NounPhrase SentenceGenerator::object(Class kind, const NounPhrase& subject, bool definite) {
  NounPhrase phrase;
  if ((kind & kPerson) != 0 && chance(20)) {
    const bool third = is_first_person(subject);
    phrase.pronoun = pick_if(kPronouns, [&](const Pronoun& pronoun) {
      return !third || pronoun.person == Person::third_singular || pronoun.person == Person::third_plural;
    });
  } else if ((kind & kPerson) != 0 && subject.name.empty() && chance(10)) {
    phrase.name = pick(kNames);
  } else {
    do {
      phrase = noun_phrase(kind, definite);
    } while (same_noun(phrase, subject));
  }
  return phrase;
}

PrepositionalPhrase SentenceGenerator::prepositional(const Preposition& preposition) {
  PrepositionalPhrase phrase;
  phrase.preposition = &preposition;
  phrase.phrase = noun_phrase(preposition.kind, true, 8, 15);
  return phrase;
}

// Who is given what, and the subject before them. "Not" needs definite company, a direct object
// apart.
void SentenceGenerator::add_objects(Clause& clause) {
  const Verb& verb = *clause.verb;
  clause.subject = subject(verb.subject, clause.negated);
  if (verb.frame == Frame::ditransitive) clause.recipient = object(kPerson, clause.subject, clause.negated);
  if (verb.object == 0) return;
  do {
    const bool denied_article = clause.negated && chance(40);
    clause.object = object(verb.object, clause.subject, clause.negated);
    if (denied_article && clause.object.noun != nullptr && !clause.object.plural &&
        !clause.object.noun->english_plural.empty()) {
      clause.object.determiner = &kA;
    }
  } while (same_noun(clause.object, clause.recipient));
}

void SentenceGenerator::add_places(Clause& clause, const Wishes& wishes) {
  const Frame frame = clause.verb->frame;
  if (frame == Frame::motion) clause.place = prepositional(pick(kDirections));
  const bool alone = frame == Frame::intransitive || frame == Frame::motion;
  if (alone && chance(20)) clause.companion = prepositional(pick(kCompanions));
  const bool of_a_person = (clause.verb->object & kPerson) != 0;  // "loves her in the kitchen"
  if (frame == Frame::motion || of_a_person || !wishes.place || !chance(alone ? 50 : 25)) return;
  clause.place = prepositional(pick(kPlaces));
  if (same_noun(clause.place.phrase, clause.object)) clause.place = {};
}

void SentenceGenerator::add_time(Clause& clause, const Wishes& wishes) {
  if (wishes.time && chance(40)) {
    clause.time = time(clause.tense);
    clause.time_first = wishes.main && !wishes.question && (!wishes.trailing || chance(60));
    if (!wishes.trailing && !clause.time_first) clause.time = nullptr;
  } else if (wishes.main && !wishes.question && !wishes.relative && !clause.negated &&
             clause.verb != nullptr && (clause.tense == Tense::present || clause.tense == Tense::past) &&
             chance(25)) {
    clause.frequency = &pick(kFrequencies);
  }
}

Clause SentenceGenerator::copula(const Wishes& wishes) {
  Clause clause;
  clause.tense = !wishes.present_only && chance(40) ? Tense::past : Tense::present;
  clause.negated = !wishes.question && chance(20);
  clause.subject = subject(kLiving | kMovable | kFood | kVehicle | kRoom | kPlace, clause.negated);
  clause.subject.adjective = nullptr;
  const Class kind = clause.subject.noun != nullptr ? clause.subject.noun->kind : kPerson;
  clause.predicate =
      pick_if(kAdjectives, [&](const Adjective& adjective) { return (adjective.kind & kind) != 0; });
  if (clause.predicate->passing) add_time(clause, wishes);
  return clause;
}

Clause SentenceGenerator::clause(const Wishes& wishes) {
  if (chance(10) && wishes.motion && !wishes.relative) return copula(wishes);
  Clause clause;
  clause.tense = tense(wishes);
  clause.verb = verb(frame(wishes.motion && wishes.trailing));
  clause.negated = wishes.main && !wishes.question && clause.tense != Tense::must && chance(15);
  add_objects(clause);
  if (wishes.trailing) add_places(clause, wishes);
  add_time(clause, wishes);
  if (wishes.relative) add_relative(clause);
  return clause;
}

// Of a person or animal that acts, or of a thing or person that something is done to.
Clause SentenceGenerator::relative_clause(const NounPhrase& head) {
  Clause clause;
  const Class kind = head.noun->kind;
  clause.tense = chance(50) ? Tense::past : Tense::present;
  const bool acts = (kind & kPerson) != 0 && chance(65);
  clause.gap = acts ? Gap::subject : Gap::object;
  if (acts) {
    const Frame kFrames[] = {Frame::intransitive, Frame::intransitive, Frame::accusative, Frame::dative};
    clause.verb = verb(pick(kFrames));
    add_objects(clause);
    clause.subject = head;
    if (clause.verb->frame == Frame::intransitive && chance(50)) clause.place = prepositional(pick(kPlaces));
  } else {
    clause.verb = pick_if(kVerbs, [&](const Verb& verb) {
      return (verb.object & kind) != 0 && (verb.frame == Frame::accusative || verb.frame == Frame::dative);
    });
    clause.subject = subject(kPerson, false);
  }
  return clause;
}

void SentenceGenerator::add_relative(Clause& clause) {
  const auto fits = [](const NounPhrase& phrase) {
    return phrase.noun != nullptr && phrase.determiner->declension != Declension::numeral &&
           (phrase.noun->kind & (kLiving | kWares | kPlace)) != 0;
  };
  NounPhrase& phrase = fits(clause.object) ? clause.object : clause.subject;
  if (!fits(phrase)) return;
  phrase.adjective = nullptr;
  phrase.relative = std::make_shared<Clause>(relative_clause(phrase));
}

}  // namespace xf::data::demo
