// --output-sampling, as Marian spells it: full [T], topk K [T], nucleus P [T].
#pragma once

#include <optional>

#include "nn/sampling_filter.h"
#include "tools/config/program_options.h"

namespace xf::tools {

// Nothing where the option is not set. Error usage for words that are none of the three.
std::optional<nn::SamplingFilter> output_sampling(const TranslationOptions& options);

}  // namespace xf::tools
