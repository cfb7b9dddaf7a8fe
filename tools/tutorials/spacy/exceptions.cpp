#include "tools/tutorials/spacy/exceptions.h"

#include "data/unicode.h"

namespace xf::data::spacy {
namespace {

constexpr std::string_view kShared = R"('' ' \") <space> C++ \t \n — ä. ö. ü.)";

constexpr std::string_view kSmileys =
    R"(:) :-) :)) :-)) :))) :-))) (: (-: =) (= :] :-] [: [-: :o) (o: :} :-} 8) 8-) (-8 ;) ;-) (; (-;
       :( :-( :(( :-(( :((( :-((( ): )-: =( >:( :') :'-) :'( :'-( :/ :-/ =/ =| :| :-| :1 :P :-P :p :-p :O :-O :o :-o
       :0 :-0 :() >:o :* :-* :3 :-3 =3 :> :-> :X :-X :x :-x :D :-D ;D ;-D =D xD XD xDD XDD 8D 8-D
       ^_^ ^__^ ^___^ >.< >.> <.< ._. ;_; -_- -__- v.v V.V v_v V_V o_o o_O O_o O_O 0_o o_0 0_0 o.O O.o O.O o.o 0.0 o.0 0.o
       @_@ <3 <33 <333 </3 (^_^) (-_-) (._.) (>_<) (*_*) (¬_¬) ಠ_ಠ ಠ︵ಠ (ಠ_ಠ) ¯\(ツ)/¯ (╯°□°）╯︵┻━┻ ><(((*>)";

// A typographic apostrophe counts as a straight one.
void add_apostrophes(Exceptions& table) {
  const auto typographic = [](std::u32string text) {
    for (char32_t& c : text) c = c == U'\'' ? U'\u2019' : c;
    return text;
  };
  Exceptions more;
  for (const auto& [word, tokens] : table) {
    if (word.find(U'\'') == std::u32string::npos) continue;
    std::vector<std::u32string>& same = more[typographic(word)];
    for (const std::u32string& token : tokens) same.push_back(typographic(token));
  }
  table.merge(more);
}

Exceptions make(SpacyRules rules, SpacyLanguage language) {
  Exceptions table;
  add_shared(table, rules);
  language == SpacyLanguage::german ? add_german(table, rules) : add_english(table, rules);
  add_apostrophes(table);
  return table;
}

}  // namespace

void add_split(Exceptions& table, std::initializer_list<std::string_view> tokens) {
  std::u32string word;
  std::vector<std::u32string> parts;
  for (const std::string_view token : tokens) {
    parts.push_back(to_utf32(token));
    word += parts.back();
  }
  table[word] = parts;
}

void add_whole(Exceptions& table, std::string_view words_apart_by_spaces) {
  for (const std::string_view word : split_on_space(words_apart_by_spaces)) add_split(table, {word});
}

void add_shared(Exceptions& table, SpacyRules rules) {
  for (const char* space : {" ", "\t", "\n", "\u00A0"}) add_split(table, {space});
  for (char letter = 'a'; letter <= 'z'; ++letter) add_split(table, {std::string{letter, '.'}});
  add_whole(table, kShared);
  add_whole(table, kSmileys);
  if (rules == SpacyRules::v2_2) return add_whole(table, "\")");
  add_whole(table, "[= =] ]= =[");
  for (const char* scale : {"c", "f", "k", "C", "F", "K"}) add_split(table, {"°", scale, "."});
}

const Exceptions& exceptions(SpacyRules rules, SpacyLanguage language) {
  static const Exceptions made[2][2] = {
      {make(SpacyRules::v2_2, SpacyLanguage::english), make(SpacyRules::v2_2, SpacyLanguage::german)},
      {make(SpacyRules::v3, SpacyLanguage::english), make(SpacyRules::v3, SpacyLanguage::german)}};
  return made[rules == SpacyRules::v3][language == SpacyLanguage::german];
}

}  // namespace xf::data::spacy
