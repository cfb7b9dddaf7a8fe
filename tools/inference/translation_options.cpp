#include "tools/inference/translation_options.h"
#include "tools/config/program_options.h"

#include "core/error.h"
#include "tools/config/command_line.h"
#include "tools/inference/output_sampling.h"

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

}  // namespace

void check_translation_options(const TranslationOptions& options) {
  const OptionList list = options_of(options);
  const OptionList& usual = default_options("xformer-translate");
  // Set to something else than its default: what --dump-config writes may be read again.
  const auto asked = [&](const char* name) { return list.at(name).text() != usual.at(name).text(); };
  for (const auto& [option, other] : kNeeds) {
    if (asked(option) && !asked(other)) fail(ErrorKind::usage, "--{} is for --{}", option, other);
  }
  for (const auto& [option, other] : kExcludes) {
    if (asked(option) && asked(other))
      fail(ErrorKind::usage, "--{} has no effect with --{}; leave one of them out", option, other);
  }
}

nn::SearchOptions search_options(const TranslationOptions& options, const SearchOptions& of_model,
                                 bool scored) {
  const auto sampling = output_sampling(options);
  const int64_t beam = sampling ? 1 : options.beam_size.value_or(of_model.beam_size);
  return {.beam_size = beam,
          .normalize = static_cast<float>(options.normalize.value_or(of_model.normalize)),
          .max_length_factor = options.max_length_factor,
          .max_length = options.max_length,
          .n_best = options.n_best ? beam : 1,
          .scored = scored,
          .allow_unk = options.allow_unk,
          .word_penalty = static_cast<float>(options.word_penalty),
          .no_repeat_ngram = options.no_repeat_ngram_size,
          .sampling = sampling,
          .seed = static_cast<uint64_t>(options.seed)};
}

}  // namespace xf::tools
