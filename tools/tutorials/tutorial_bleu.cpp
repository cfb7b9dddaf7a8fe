#include "tools/tutorials/tutorial_bleu.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/score/bleu.h"
#include "data/unicode.h"

namespace xf::data {

double tutorial_bleu(std::string_view hypothesis, std::string_view reference) {
  const BleuOptions characters{.tokenizer = BleuTokenizer::character, .smoothing = BleuSmoothing::none};
  const auto words = split_on_space(hypothesis), wanted = split_on_space(reference);
  BleuStatistics sum;
  for (size_t i = 0; i < std::min(words.size(), wanted.size()); ++i) {
    sum += bleu_statistics(words[i], std::vector{std::string(wanted[i])}, characters);
  }
  return bleu_from_statistics(sum, characters).score;
}

TutorialBleu tutorial_bleu(std::span<const std::string> hypotheses,
                           const std::vector<std::string>& references, int64_t batch) {
  check_segments(hypotheses.size(), std::span(&references, 1));
  TutorialBleu result;
  const auto size = static_cast<size_t>(batch);
  for (size_t begin = 0; begin < hypotheses.size(); begin += size) {
    const size_t end = std::min(begin + size, hypotheses.size());
    double sum = 0;
    for (size_t i = begin; i < end; ++i) sum += tutorial_bleu(hypotheses[i], references[i]);
    result.batches.push_back(sum / static_cast<double>(end - begin));
    result.score += result.batches.back();
  }
  result.score /= static_cast<double>(result.batches.size());
  result.name = "tutorial-BLEU";
  result.signature = {{"nrefs", "#", "1"},
                      {"tok", "tok", "char"},
                      {"pairs", "p", "words-by-place"},
                      {"mean", "m", fmt::format("batches-of-{}", batch)},
                      version_key()};
  return result;
}

}  // namespace xf::data
