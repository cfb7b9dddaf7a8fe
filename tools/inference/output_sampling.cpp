#include "tools/inference/output_sampling.h"
#include "tools/config/program_options.h"

#include <fmt/ranges.h>

#include "core/error.h"
#include "tools/config/option.h"

namespace xf::tools {

namespace {

[[noreturn]] void refuse(const TranslationOptions& options) {
  fail(ErrorKind::usage,
       "--output-sampling: '{}' is none of full, topk K and nucleus P, each with an optional temperature",
       fmt::join(options.output_sampling, " "));
}

}  // namespace

std::optional<nn::SamplingFilter> output_sampling(const TranslationOptions& options) {
  if (options.output_sampling.empty()) return std::nullopt;
  const std::vector<std::string>& words = options.output_sampling;
  const bool full = words.front() == "full", top_k = words.front() == "topk";
  const size_t numbers = full ? 0 : 1;  // that must be there
  if ((!full && !top_k && words.front() != "nucleus") || words.size() < 1 + numbers ||
      words.size() > 2 + numbers)
    refuse(options);
  nn::SamplingFilter filter;
  if (top_k) {
    const auto count = parse_count(words[1]);
    if (!count || *count < 1)
      fail(ErrorKind::usage, "--output-sampling topk: '{}' is not a whole number above 0", words[1]);
    filter.top_k = *count;
  } else if (!full) {
    const auto share = parse_number(words[1]);
    if (!share || !(*share > 0 && *share <= 1))
      fail(ErrorKind::usage, "--output-sampling nucleus: '{}' is not a probability above 0", words[1]);
    filter.top_p = *share;
  }
  if (words.size() == 2 + numbers) {
    const auto temperature = parse_number(words.back());
    if (!temperature || !(*temperature >= 0))
      fail(ErrorKind::usage, "--output-sampling: the temperature '{}' is not a number from 0 on",
           words.back());
    filter.temperature = *temperature;
  }
  return filter;
}

}  // namespace xf::tools
