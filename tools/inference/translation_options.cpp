#include "tools/inference/translation_options.h"

#include "core/error.h"
#include "tools/config/output_sampling.h"

namespace xf::tools {

namespace {

struct Pair {
  const char *option, *other;
};

// The first means nothing without the second.
constexpr Pair kNeeds[] = {
    {"output-format", "teacher-forced"},
    {"num-examples", "teacher-forced"},
    {"seed", "output-sampling"},
    {"alignment-layer", "alignment"},
};

// The first means nothing beside the second.
constexpr Pair kExcludes[] = {
    {"force-decode", "teacher-forced"},  {"output-sampling", "teacher-forced"},
    {"alignment", "teacher-forced"},     {"no-spm-encode", "teacher-forced"},
    {"no-spm-decode", "teacher-forced"}, {"stat-freq", "teacher-forced"},
    {"interactive", "teacher-forced"},   {"beam-size", "output-sampling"},
    {"n-best", "output-sampling"},       {"input", "interactive"},
    {"output", "interactive"},           {"stat-freq", "interactive"},
    {"continue", "interactive"},         {"continue", "teacher-forced"},
    {"n-best", "teacher-forced"},        {"word-scores", "teacher-forced"},
    {"beam-size", "teacher-forced"},     {"no-repeat-ngram-size", "teacher-forced"},
    {"allow-unk", "teacher-forced"},     {"normalize", "teacher-forced"},
    {"word-penalty", "teacher-forced"},  {"normalize", "output-sampling"},
    {"word-penalty", "output-sampling"},
};

// Set to something else than its default: what --dump-config writes may be read again.
bool asked(const Options& options, const char* name) {
  return options.text_of(name) != Options(Program::translate).text_of(name);
}

}  // namespace

void check_translation_options(const Options& options) {
  for (const auto& [option, other] : kNeeds) {
    if (asked(options, option) && !asked(options, other))
      fail(ErrorKind::usage, "--{} is for --{}", option, other);
  }
  for (const auto& [option, other] : kExcludes) {
    if (asked(options, option) && asked(options, other))
      fail(ErrorKind::usage, "--{} means nothing beside --{}; leave one of them out", option, other);
  }
}

nn::SearchOptions search_options(const Options& options, const Options& training, bool scored) {
  const auto deciding = [&](std::string_view name) -> const Options& {
    return options.is_set(name) ? options : training;
  };
  const auto drawing = output_sampling(options);
  const int64_t beam = drawing ? 1 : deciding("beam-size").get_int("beam-size");
  return {.beam_size = beam,
          .normalize = static_cast<float>(deciding("normalize").get_float("normalize")),
          .max_length_factor = options.get_float("max-length-factor"),
          .max_length = options.get_int("max-length"),
          .n_best = options.get_bool("n-best") ? beam : 1,
          .scored = scored,
          .allow_unk = options.get_bool("allow-unk"),
          .word_penalty = static_cast<float>(options.get_float("word-penalty")),
          .no_repeat_ngram = options.get_int("no-repeat-ngram-size"),
          .drawing = drawing,
          .seed = static_cast<uint64_t>(options.get_int("seed"))};
}

}  // namespace xf::tools
