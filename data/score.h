// What every metric reports, and how it is printed: the lines and JSON objects of sacreBLEU 2.6.0.
// Post 2018, "A call for clarity in reporting BLEU scores", arXiv:1804.08771.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace xf::data {

// One key of a signature: "tok:13a", in short form "tok:13a"; "case:lc", in short form "c:lc".
struct SignatureKey {
  std::string name;
  std::string abbreviation;
  std::string value;
};

using Signature = std::vector<SignatureKey>;

// "sacreBLEU's version + ours": the scores are those of the first, the program is the second.
SignatureKey version_key();

// nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:...
std::string signature_text(const Signature& signature);

// #:1|c:lc|e:no|tok:13a|s:exp|v:...
std::string short_signature_text(const Signature& signature);

struct Score {
  std::string name;     // "BLEU", "chrF2", "chrF2++"
  double score = 0;     // 0 ... 100
  std::string verbose;  // what BLEU adds behind the number; may be empty
  Signature signature;
};

// Digits behind the decimal point are `width` everywhere; text and numbers are rounded from the exact binary
// value.
std::string format(const Score& score, int width);         // NAME|SIGNATURE = 41.02 VERBOSE
std::string format_short(const Score& score, int width);   // the same with the short signature
std::string format_number(const Score& score, int width);  // 41.02
std::string format_json(const Score& score, int width);    // one object, indent 1, long signature key by key

// Throws Error(data) unless there is a reference and every one has as many lines as the hypotheses, at least
// one.
void check_segments(size_t hypotheses, std::span<const std::vector<std::string>> references);

// The metrics of one system: an object alone, an array of several.
std::string format_json(const std::vector<Score>& scores, int width);

}  // namespace xf::data
