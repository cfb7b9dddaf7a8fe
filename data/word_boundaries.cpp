#include "data/word_boundaries.h"

#include <unicode/brkiter.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/error.h"

namespace xf::data {

std::set<size_t> word_boundaries(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> words(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  UText input = UTEXT_INITIALIZER;
  utext_openUTF8(&input, text.data(), static_cast<int64_t>(text.size()), &status);
  if (U_SUCCESS(status)) words->setText(&input, status);
  if (U_FAILURE(status)) fail(ErrorKind::failure, "unicode: word boundaries: {}", u_errorName(status));
  std::set<size_t> boundaries;
  for (int32_t at = words->first(); at != icu::BreakIterator::DONE; at = words->next())
    boundaries.insert(static_cast<size_t>(at));
  utext_close(&input);
  return boundaries;
}

// ICU knows those that a dictionary cuts into words. The others put a mark between syllables, or
// nothing.
bool is_written_without_spaces(char32_t code_point) {
  constexpr std::array kOthers = {
      USCRIPT_TIBETAN, USCRIPT_JAVANESE, USCRIPT_BALINESE, USCRIPT_BATAK,     USCRIPT_BUGINESE,
      USCRIPT_REJANG,  USCRIPT_MAKASAR,  USCRIPT_VAI,      USCRIPT_CUNEIFORM, USCRIPT_EGYPTIAN_HIEROGLYPHS};
  if (code_point < 0x0E00) return false;  // Thai is the first of them
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(code_point), &status);
  if (U_FAILURE(status)) return false;
  return uscript_breaksBetweenLetters(script) || std::ranges::find(kOthers, script) != kOthers.end();
}

}  // namespace xf::data
