// What every metric reports, and how it is printed: the lines and JSON objects of sacreBLEU 2.6.0.
// Post 2018, "A call for clarity in reporting BLEU scores", arXiv:1804.08771.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// That holds 95 of 100 scores of resampled corpora (data/score/resampling.h): mean ± half_width.
struct Interval {
  double mean = 0, half_width = 0;
};

struct Score {
  std::string name;     // "BLEU", "chrF2", "chrF2++", "TER"
  double score = 0;     // 0 ... 100; TER's may be more
  std::string verbose;  // what BLEU adds behind the number; may be empty
  Signature signature;
  std::optional<Interval> confidence = {};
};

// The score of a resampled corpus. sacreBLEU keeps the sums of one as 32-bit floats, and with NumPy
// 2 the score computed from them is such a float too, but for a few special cases: its digits ask
// for the same.
struct ResampledScore {
  double value = 0;
  bool is_float32 = false;
};

// Behind `nrefs`, the first key: how many resamples or trials there were (`name`: "bs" or "ar"),
// and their seed.
void add_trials(Signature& signature, const std::string& name, int64_t trials, const std::string& seed);

// `nfc:yes`, for a score of text that compose() changed: sacreBLEU's may be another one. In front
// of the version.
void mark_composed(Signature& signature);

// Digits behind the decimal point are `width` everywhere; text and numbers are rounded from the
// exact binary value. The confidence interval stands behind the score, "41.02 (μ = 41.00 ± 0.90)",
// if its mean is above 0.
std::string format(const Score& score, int width);         // NAME|SIGNATURE = 41.02 VERBOSE
std::string format_short(const Score& score, int width);   // the same with the short signature
std::string format_number(const Score& score, int width);  // 41.02
std::string format_json(const Score& score, int width);    // one object, indent 1, long signature
                                                           // key by key

// Throws Error(data) unless there is a reference and every one has as many lines as the hypotheses,
// at least one.
void check_segments(size_t hypotheses, std::span<const std::vector<std::string>> references);

// references[r][segment] of every r.
std::vector<std::string> references_of_segment(std::span<const std::vector<std::string>> references,
                                               size_t segment);

// The metrics of one system: an object alone, an array of several.
std::string format_json(const std::vector<Score>& scores, int width);

}  // namespace xf::data
