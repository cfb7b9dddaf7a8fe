// How TER cuts a line into words: the rules of Tercom, as sacreBLEU 2.6.0 has them.
#pragma once

#include <string>
#include <string_view>

namespace xf::data {

struct TerTokenizerOptions {
  bool case_sensitive = false;  // else the line is lower-cased first
  bool composed = false;        // as BleuOptions'
  bool normalized = false;      // entities are decoded; marks, the possessive 's, points and
                                // hyphens are
                                // separated
  bool no_punct = false;        // . , ? : ; ! " ( ) are removed
  bool asian_support =
      false;  // normalized: ideographs and East Asian marks by themselves; no_punct: these marks go
};

// The words of one line (valid UTF-8), joined by single spaces.
std::string ter_tokenize(std::string_view line, const TerTokenizerOptions& options = {});

}  // namespace xf::data
