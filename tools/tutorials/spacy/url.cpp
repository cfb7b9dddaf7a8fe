#include "tools/tutorials/spacy/url.h"

#include <unicode/regex.h>

#include <memory>
#include <string>

#include "core/error.h"
#include "tools/tutorials/spacy/characters.h"

namespace xf::data::spacy {
namespace {

icu::UnicodeString unicode(std::u32string_view text) {
  return icu::UnicodeString::fromUTF32(reinterpret_cast<const UChar32*>(text.data()),
                                       static_cast<int32_t>(text.size()));
}

icu::UnicodeString pattern(SpacyRules rules) {
  const char* scheme = R"((?:(?:[\p{L}\p{N}_+\-.]{2,})://)?)";  // ICU's \w has marks too
  const char* user = R"((?:\S+(?::\S*)?@)?)";
  const char* address =  // four numbers, not of a private network
      R"((?!(?:10|127)(?:\.\d{1,3}){3})(?!(?:169\.254|192\.168)(?:\.\d{1,3}){2})(?!172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2}))"
      R"((?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}(?:\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4])))";
  const char* old_name =
      R"((?:(?:[a-z0-9\-]*)?[a-z0-9]+)(?:\.(?:[a-z0-9])(?:[a-z0-9\-])*[a-z0-9])?(?:\.(?:[a-z]{2,})))";
  const char* name =
      R"((?:(?:[A-Za-z0-9\u00a1-\uffff][A-Za-z0-9\u00a1-\uffff_\-]{0,62})?[A-Za-z0-9\u00a1-\uffff]\.)+)";
  const char* port_and_path = R"((?::\d{2,5})?(?:[/?#]\S*)?)";
  icu::UnicodeString all = icu::UnicodeString::fromUTF8(std::string(scheme) + user + "(?:" + address + "|");
  if (rules == SpacyRules::v3) {
    icu::UnicodeString lower;
    characters(rules).lower.toPattern(lower, true);
    all += icu::UnicodeString::fromUTF8(name) + lower + "{2,63}";
  } else {
    all += old_name;
  }
  return all + ")" + port_and_path;
}

std::unique_ptr<icu::RegexPattern> compile(SpacyRules rules) {
  UErrorCode status = U_ZERO_ERROR;
  UParseError where;
  std::unique_ptr<icu::RegexPattern> made(icu::RegexPattern::compile(pattern(rules), 0, where, status));
  if (U_FAILURE(status)) fail(ErrorKind::failure, "spacy: pattern of addresses: {}", u_errorName(status));
  return made;
}

}  // namespace

bool is_url(std::u32string_view text, SpacyRules rules) {
  if (text.find(U'.') == std::u32string_view::npos) return false;  // quick: every address has one
  static const std::unique_ptr<icu::RegexPattern> v2 = compile(SpacyRules::v2_2),
                                                  v3 = compile(SpacyRules::v3);
  const icu::UnicodeString word = unicode(text);
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::RegexMatcher> matcher(
      (rules == SpacyRules::v3 ? v3 : v2)->matcher(word, status));
  return U_SUCCESS(status) && matcher->matches(status) != 0 && U_SUCCESS(status);
}

}  // namespace xf::data::spacy
