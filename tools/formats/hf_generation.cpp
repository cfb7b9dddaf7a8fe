#include "tools/formats/hf_generation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "tools/config/program_options.h"
#include "tools/formats/settings.h"

namespace xf::tools::exchange {

namespace {

using Json = nlohmann::json;

constexpr const char *kMostNew = "max_new_tokens", *kMost = "max_length";
constexpr int64_t kUsualMost = 20;  // new tokens

bool is_zero(const Json& value, const data::Tokenizer&) { return value == 0; }
bool is_one(const Json& value, const data::Tokenizer&) { return value == 1; }
bool is_false(const Json& value, const data::Tokenizer&) { return value == false; }
bool is_empty(const Json& value, const data::Tokenizer&) { return value.empty(); }

// Ids, or lists of one each, of what our search never lets out.
bool never_comes_out(const Json& value, const data::Tokenizer& target) {
  if (value.is_number_integer())
    return value == target.unk_id() || value == target.pad_id() ||
           (value == target.bos_id() && value != target.eos_id());
  return value.is_array() && std::ranges::all_of(value, [&](const Json& one) {
           return (!one.is_array() || one.size() == 1) && never_comes_out(one, target);
         });
}

bool is_end(const Json& value, const data::Tokenizer& target) {
  return value == target.eos_id() || (value.is_array() && value.size() == 1 && value[0] == target.eos_id());
}

// What of GenerationConfig changes a text, and with which values it does not. null is none. What
// only drawing looks at, after do_sample, is left out; so is renormalize_logits, which all of
// OPUS-MT has: it adds log(1 - p(<pad>)), next to nothing.
struct Effect {
  const char* key;
  bool (*is_none)(const Json& value, const data::Tokenizer& target);
};
constexpr Effect kEffects[] = {{"bad_words_ids", never_comes_out},
                               {"begin_suppress_tokens", never_comes_out},
                               {"constraints", is_empty},
                               {"diversity_penalty", is_zero},
                               {"do_sample", is_false},
                               {"dola_layers", is_empty},
                               {"encoder_no_repeat_ngram_size", is_zero},
                               {"encoder_repetition_penalty", is_one},
                               {"eos_token_id", is_end},
                               {"exponential_decay_length_penalty", is_empty},
                               {"force_words_ids", is_empty},
                               {"forced_bos_token_id", is_empty},
                               {"forced_eos_token_id", is_end},
                               {"guidance_scale", is_one},
                               {"max_time", is_empty},
                               {"min_length", is_zero},
                               {"min_new_tokens", is_zero},
                               {"no_repeat_ngram_size", is_zero},
                               {"num_beam_groups", is_one},
                               {"num_return_sequences", is_one},
                               {"penalty_alpha", is_zero},
                               {"repetition_penalty", is_one},
                               {"sequence_bias", is_empty},
                               {"stop_strings", is_empty},
                               {"suppress_tokens", never_comes_out},
                               {"token_healing", is_false},
                               {"use_mtp", is_false},
                               {"watermarking_config", is_empty}};

std::string shown(const Json& value) {
  constexpr size_t kLongest = 40;
  const std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

void tell_effects(const Settings& search, const data::Tokenizer& target, std::vector<std::string>& warnings) {
  for (const auto& [key, is_none] : kEffects) {
    if (const Json* value = search.find(key); value && !is_none(*value, target))
      warnings.push_back(fmt::format("{}: {} is {}, which the search of this engine does not support",
                                     search.path(), key, shown(*value)));
  }
}

// max_length counts what a translation begins with, too.
void tell_shorter(const Settings& search, std::vector<std::string>& warnings) {
  const int64_t ours = TranslationOptions().max_length;
  const auto most_new = search.integer(kMostNew), most = search.integer(kMost);
  const int64_t theirs = most_new ? *most_new : most ? *most - 1 : kUsualMost;
  if (theirs >= ours - 1) return;  // as 256 of theirs is 256 of ours
  const std::string said =
      most_new || most ? fmt::format("{} is {}", most_new ? kMostNew : kMost, most_new ? *most_new : *most)
                       : fmt::format("has no {}", kMost);
  warnings.push_back(
      fmt::format("{}: {}: a translation has up to {} tokens there, and up to {} here; give --max-length {}",
                  search.path(), said, theirs, ours, theirs));
}

Settings search_of(const std::string& folder, const Settings& config) {
  const std::string path = folder + "/generation_config.json";
  return is_there(path) ? Settings::read(path) : config;
}

}  // namespace

HfGeneration::HfGeneration(const std::string& folder, const Settings& config)
    : config_(config), search_(search_of(folder, config)) {}

std::optional<HfId> HfGeneration::id_of(const char* key) const {
  const Settings& settings = search_.find(key) ? search_ : config_;
  const Json* value = settings.find(key);
  if (value && value->is_array() && !value->empty()) value = &value->front();
  if (!value) return std::nullopt;
  if (!value->is_number_unsigned() || *value > INT32_MAX)
    fail(ErrorKind::data, "{}: {} is {}, which is not an id", settings.path(), key, shown(*value));
  return HfId{value->get<int64_t>(), key, settings.path()};
}

void HfGeneration::take_to(ExchangedModel& model) const {
  const int64_t beams = search_.integer("num_beams").value_or(1);
  take_search(model, search_.path(), {"num_beams", static_cast<double>(beams)},
              {"length_penalty", search_.number("length_penalty").value_or(1)});
  if (beams > 1 && !search_.is_true("early_stopping"))
    model.warnings.push_back(
        fmt::format("{}: early_stopping is not true: "
                    "a search there may go on for a better translation, and one here ends with {}",
                    search_.path(), model.beam_size));
  tell_shorter(search_, model.warnings);
  tell_effects(search_, *model.vocabularies.target, model.warnings);
}

}  // namespace xf::tools::exchange
