#include "tools/tutorials/spacy/characters.h"

#include "core/error.h"

namespace xf::data::spacy {
namespace {

constexpr const char* kLatin =
    R"([A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BF\u01C4-\u02AF\u1D00-\u1D25\u1D6B-\u1D77\u1D79-\u1D9A\u1E00-\u1EFF
        \u2C60-\u2C7B\u2C7E-\u2C7F\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uA790-\uA7B9\uA7FA\uAB30-\uAB5A\uAB60-\uAB64
        \uFF21-\uFF3A\uFF41-\uFF5A])";
constexpr const char* kGreek =
    R"([\u0386\u0388-\u038A\u038C\u038E-\u038F\u0391-\u03A9\u03AC-\u03AF\u03B1-\u03C9\u03CC-\u03CE])";
// Russian, Tatar, Ukrainian; Macedonian has more since 2.3.
constexpr const char* kCyrillic =
    R"([\u0401\u0404\u0406-\u0407\u0410-\u044F\u0451\u0454\u0456-\u0457\u0490-\u0491\u0496-\u0497\u04A2-\u04A3\u04AE-\u04AF
        \u04BA-\u04BB\u04D8-\u04D9\u04E8-\u04E9])";
constexpr const char* kMacedonian =
    R"([\u0400\u0403\u0405\u0408-\u040A\u040C-\u040D\u0450\u0453\u0455\u0458-\u045A\u045C-\u045D])";
// Hebrew, Arabic, scripts of India, Hangul.
constexpr const char* kUncased =
    R"([\u0591-\u05F4\u0620-\u064A\u066E-\u06D5\u06E5-\u06FF\u0750-\u077F\u08A0-\u08BD\u0900-\u09FF\u0B80-\u0CFF
        \u0D80-\u0DFF\u1100-\u11FF\uAC00-\uD7AF\uFB1D-\uFBB1\uFBD3-\uFD3D\uFD50-\uFDC7\uFDF0-\uFDFB\uFE70-\uFEFC
        \U0001EE00-\U0001EEBB])";
// Ethiopic, kana, Chinese.
constexpr const char* kUncasedSince23 =
    R"([\u1200-\u137F\u2E80-\u2FDF\u2FF0-\u30FF\u31C0-\u31EF\u3200-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFE30-\uFE4F
        \U0001F200-\U0001F2FF\U00020000-\U0002A6DF\U0002A700-\U0002EBEF\U0002F800-\U0002FA1F])";

constexpr const char* kPunctuation =
    R"([\u2026 , \: ; ! ? \u00BF \u061F \u00A1 ( ) \[ \] \{ \} < > _ # * \& \u3002 \uFF1F \uFF01 \uFF0C \u3001 \uFF1B
        \uFF1A \uFF5E \u00B7 \u0964 \u060C \u06D4 \u061B \u066A])";
constexpr const char* kQuotes =
    R"([' " \u201C\u201D ` \u00B4 \u2018-\u201A , \u201E \u00AB\u00BB \u300C-\u300F \uFF08\uFF09 \u3010\u3011
        \u3014\u3015 \u300A\u300B \u3008\u3009])";
constexpr const char* kQuotesSince23 = R"([\u2329\u232A\u27E6\u27E7])";
constexpr const char* kCurrency = R"([\$ \u00A3 \u20AC \u00A5 \u0E3F \u20BD \uFDFC \u20B4])";
constexpr const char* kCurrencySince23 = R"([\u20A0-\u20BF])";
// Other symbols as of Unicode 11; U+166D was one of them later for a while.
constexpr const char* kIcons = R"([[[:So:] & [:Age=11.0:]] - [\u166D]])";

Characters make(bool since_23) {
  Characters made{.alpha = character_set(kLatin),
                  .lower = {},
                  .upper = {},
                  .punctuation = character_set(kPunctuation),
                  .quotes = character_set(kQuotes),
                  .currency = character_set(kCurrency),
                  .icons = character_set(kIcons),
                  .digits = character_set("[0-9]")};
  made.alpha.addAll(character_set(kGreek)).addAll(character_set(kCyrillic));
  CharacterSet uncased = character_set(kUncased);
  if (since_23) {
    made.alpha.addAll(character_set(kMacedonian));
    uncased.addAll(character_set(kUncasedSince23));
    made.quotes.addAll(character_set(kQuotesSince23));
    made.currency.addAll(character_set(kCurrencySince23));
  }
  made.lower.addAll(made.alpha).retainAll(character_set("[[:Ll:]\\u0294]")).addAll(uncased);
  made.upper.addAll(made.alpha).retainAll(character_set("[:Lu:]")).addAll(uncased);
  made.alpha.addAll(uncased);
  for (CharacterSet* set : {&made.alpha, &made.lower, &made.upper, &made.punctuation, &made.quotes,
                            &made.currency, &made.icons, &made.digits})
    set->freeze();
  return made;
}

}  // namespace

CharacterSet character_set(const char* pattern) {
  UErrorCode status = U_ZERO_ERROR;
  CharacterSet set(icu::UnicodeString::fromUTF8(pattern), USET_IGNORE_SPACE, nullptr, status);
  if (U_FAILURE(status))
    fail(ErrorKind::failure, "spacy: character set {}: {}", pattern, u_errorName(status));
  return set;
}

const Characters& characters(SpacyRules rules) {
  static const Characters v2 = make(false), v3 = make(true);
  return rules == SpacyRules::v3 ? v3 : v2;
}

}  // namespace xf::data::spacy
