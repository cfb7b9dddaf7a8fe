// How transformers' generate() searches: generation_config.json of a folder, and config.json for
// what that leaves out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/formats/exchanged_model.h"
#include "tools/formats/settings.h"

namespace xf::tools::exchange {

// An id with where it stands, for messages.
struct HfId {
  int64_t value;
  const char* key;
  std::string path;
};

class HfGeneration {
 public:
  // Without the file config.json is all, as in older models.
  HfGeneration(const std::string& folder, const Settings& config);

  // What a translation begins and ends with. Error data for what is no id; nothing where neither
  // file has it.
  std::optional<HfId> start() const { return id_of("decoder_start_token_id"); }
  std::optional<HfId> end() const { return id_of("eos_token_id"); }  // the first of several

  // Beams and length penalty, and a warning for each setting that changes the text there and not
  // here. `model` has its vocabularies.
  void take_to(ExchangedModel& model) const;

 private:
  std::optional<HfId> id_of(const char* key) const;

  Settings config_, search_;
};

}  // namespace xf::tools::exchange
