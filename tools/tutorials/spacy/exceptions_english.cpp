#include <algorithm>
#include <array>
#include <cctype>

#include "data/unicode.h"
#include "tools/tutorials/spacy/exceptions.h"

namespace xf::data::spacy {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kWhole =
    R"('S 's ‘S ‘s 'd 're em 'em ll 'll nuff 'nuff and/or w/o 'Cause 'cause 'cos 'Cos 'coz 'Coz 'cuz 'Cuz 'bout
       ma'am Ma'am o'clock O'clock a.m. p.m. e.g. E.g. E.G. i.e. I.e. I.E. co. vs. v.s.
       Adm. Bros. Co. Corp. D.C. Dr. Gen. Gov. Inc. Jr. Ltd. Messrs. Mr. Mrs. Ms. Mt. Ph.D. Prof. Rep. Rev. Sen. St.
       Ak. Ala. Ariz. Ark. Calif. Colo. Conn. Del. Fla. Ga. Ia. Id. Ill. Ind. Kan. Kans. Ky. La. Mass. Md. Mich. Minn. Miss.
       Mo. Mont. N.C. N.D. N.H. N.J. N.M. N.Y. Neb. Nebr. Nev. Okla. Ore. Pa. S.C. Tenn. Va. Wash. Wis.
       Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec.)";

// Words that a contraction without its apostrophe would cut: "its" is not "it's".
constexpr std::string_view kNotContractions =
    "Ill ill Its its Hell hell Shell shell Shed shed were Were Well well Whore whore";

std::string capitalised(std::string_view word) {
  std::string result(word);
  result.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  return result;
}

std::string without_apostrophe(std::string_view word) {
  std::string result(word);
  std::erase(result, '\'');
  return result;
}

// stem + ending, and the same without apostrophes; with a small and with a capital letter. "dont"
// is "do" and "nt".
void add_contractions(Exceptions& table, const Words& stems, std::string_view ending,
                      std::string_view second = "") {
  for (const std::string_view stem : stems) {
    for (const std::string& cased : {std::string(stem), capitalised(stem)}) {
      const std::string bare = without_apostrophe(ending), bare_second = without_apostrophe(second);
      if (second.empty()) {
        add_split(table, {cased, ending});
        add_split(table, {cased, bare});
      } else {
        add_split(table, {cased, ending, second});
        add_split(table, {cased, bare, bare_second});
      }
    }
  }
}

void add_pronouns(Exceptions& table) {
  const Words all = {"i", "you", "he", "she", "it", "we", "they"};
  add_contractions(table, {"i"}, "'m");
  add_contractions(table, {"i"}, "'m", "a");
  add_contractions(table, all, "'ll");
  add_contractions(table, all, "'ll", "'ve");
  add_contractions(table, all, "'d");
  add_contractions(table, all, "'d", "'ve");
  add_contractions(table, {"i", "you", "we", "they"}, "'ve");
  add_contractions(table, {"you", "we", "they"}, "'re");
  add_contractions(table, {"he", "she", "it"}, "'s");
}

void add_question_words(Exceptions& table, SpacyRules rules) {
  Words singular = {"who", "what", "when", "where", "why", "how", "there"}, plural = singular;
  (rules == SpacyRules::v3 ? singular : plural).push_back("that");
  Words all = singular;
  if (rules == SpacyRules::v3) {
    singular.push_back("this");
    plural.insert(plural.end(), {"these", "those"});
    all.insert(all.end(), {"this", "these", "those"});
  } else {
    singular = all = plural;
  }
  add_contractions(table, singular, "'s");
  add_contractions(table, all, "'ll");
  add_contractions(table, all, "'ll", "'ve");
  add_contractions(table, plural, "'re");
  add_contractions(table, plural, "'ve");
  add_contractions(table, all, "'d");
  add_contractions(table, all, "'d", "'ve");
}

void add_verbs(Exceptions& table) {
  const Words with_have = {"ca",   "could", "do",    "does", "did",    "had", "may",  "might",
                           "must", "need",  "ought", "sha",  "should", "wo",  "would"};
  add_contractions(table, with_have, "n't");
  add_contractions(table, with_have, "n't", "'ve");
  add_contractions(table, {"could", "might", "must", "should", "would"}, "'ve");
  add_contractions(table, {"ai", "are", "is", "was", "were", "have", "has", "dare"}, "n't");
}

void add_times(Exceptions& table) {
  for (int hour = 1; hour <= 12; ++hour) {
    for (const char* half : {"a.m.", "am", "p.m.", "pm"}) add_split(table, {std::to_string(hour), half});
  }
}

// Words with two spellings of their first letter, and two of an ending "in": "doin" and "doin'".
void add_colloquial(Exceptions& table, SpacyRules rules) {
  for (const std::string_view stem :
       {"doin", "goin", "nothin", "nuthin", "ol", "somethin", "lovin", "havin"}) {
    for (const std::string& cased : {std::string(stem), capitalised(stem)}) {
      add_split(table, {cased});
      add_split(table, {cased + "'"});
    }
  }
  std::vector<std::array<std::string_view, 2>> pairs = {
      {"can", "not"}, {"gon", "na"}, {"got", "ta"}, {"let", "'s"}};
  if (rules == SpacyRules::v3) pairs.push_back({"c'm", "on"});
  for (const auto& [first, second] : pairs) {
    add_split(table, {first, second});
    add_split(table, {capitalised(first), second});
  }
  for (const char* how : {"how", "How"}) add_split(table, {how, "'d", "'y"});
  add_contractions(table, {"not"}, "'ve");
  add_split(table, {"y'", "all"});
  add_split(table, {"y", "all"});
}

}  // namespace

void add_english(Exceptions& table, SpacyRules rules) {
  add_pronouns(table);
  add_question_words(table, rules);
  add_verbs(table);
  add_times(table);
  add_colloquial(table, rules);
  add_whole(table, kWhole);
  if (rules == SpacyRules::v2_2) add_whole(table, "May. cause");
  for (const std::string_view word : split_on_space(kNotContractions)) table.erase(to_utf32(word));
}

}  // namespace xf::data::spacy
