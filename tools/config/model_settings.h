// What a model is, how its text is cut and how it is searched: what is needed to use it, however it was trained. A model folder
// keeps it as model.toml.
#pragma once

#include <string>
#include <vector>

#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// What the model is, and what of its values is dropped and smoothed when it learns (nn/transformer_config.h).
struct ModelOptions {
  std::string type = "translation";
  int64_t dim_emb = 0;
  int64_t enc_depth = 0;
  int64_t dec_depth = 0;
  int64_t transformer_heads = 0;
  int64_t transformer_dim_ffn = 0;
  std::string norm;
  double layer_norm_epsilon = 1e-5;
  std::string transformer_ffn_activation;
  bool tied_embeddings = false;
  bool tied_embeddings_all = false;
  bool transformer_train_positions = false;
  bool transformer_rotary_positions = false;
  std::string position_layout = "interleaved";
  std::vector<std::string> quirks;
  double transformer_dropout = 0;
  double transformer_dropout_attention = 0;
  double transformer_dropout_ffn = 0;
  double label_smoothing = 0;
};

// The model's own defaults for translating.
struct SearchOptions {
  int64_t beam_size = 5;
  double normalize = 1;
};

struct ModelSettings {
  TextOptions text;
  ModelOptions model;
  SearchOptions search;
};

// The options of each, in the order of --help.
void list_text(TextOptions& o, OptionList& list);
void list_model(ModelOptions& o, OptionList& list);
void list_dropout(ModelOptions& o, OptionList& list);
void list_search(SearchOptions& o, OptionList& list);

// Error usage for sizes and positions that no model has together.
void check_model(const ModelOptions& options);

std::string to_toml(const ModelSettings& settings);
// `name` stands for the file in messages. Error usage for what is wrong in it, and as check_model() has it.
ModelSettings model_settings_from_toml(const std::string& text, const std::string& name);

}  // namespace xf::tools
