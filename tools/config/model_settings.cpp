#include "tools/config/model_settings.h"

#include "core/error.h"
#include "core/input_limits.h"
#include "tools/config/config_file.h"

namespace xf::tools {
namespace {

constexpr double kMaxDropout = 0.99;
// No model comes near them; beyond, sizes would be counted in more than 64 bits.
constexpr double kMostIds = 1e8;

struct StoredSettings : Configuration, ModelSettings {
  StoredSettings() : Configuration(Program::train) {}
};

void list_options(StoredSettings& o, OptionList& list) {
  list_text(o.text, list);
  list_model(o.model, list);
  list_dropout(o.model, list);
  list.group("search", Keep::free);
  list_search(o.search, list);
}

// Sines and cosines, learnt positions, rotary ones: one of the three.
void check_positions(const ModelOptions& options) {
  const int64_t width = options.dim_emb, heads = options.transformer_heads;
  if (width % 2 != 0)
    fail(ErrorKind::usage, "dim-emb: {} is odd; positions need sine and cosine pairs", width);
  const bool learned = options.transformer_train_positions, rotary = options.transformer_rotary_positions;
  if (learned && rotary) {
    fail(ErrorKind::usage,
         "transformer-rotary-positions: "
         "positions are learnt (transformer-train-positions) or rotary; choose one");
  }
  if ((learned || rotary) && options.position_layout != "interleaved") {
    fail(ErrorKind::usage, "position-layout is of sines and cosines; leave it out, or {}",
         learned ? "transformer-train-positions" : "transformer-rotary-positions");
  }
  if (rotary && width / heads % 2 != 0) {
    fail(ErrorKind::usage,
         "transformer-rotary-positions: turns pairs of columns, "
         "and a head has {} / {} = {}; choose an even width",
         width, heads, width / heads);
  }
}

}  // namespace

void list_text(TextOptions& o, OptionList& list) {
  list.group("text", Keep::fixed);
  list.add(o.vocab_size, "vocab-size", "N", "pieces of a vocabulary trained here")
      .by_task()
      .between(8, kMostIds);
  list.add(o.joint_vocab, "joint-vocab", "one vocabulary for both sides when it is trained here").by_task();
  list.add_choice(o.tokenizer, "tokenizer", "spm|whitespace|icu|character|spacy3|spacy2.2",
                  "SentencePiece BPE, or with a word vocabulary words as they stand in the text, single "
                  "characters, or words by ICU's or spaCy's rules")
      .by_task();
  list.add(o.languages, "languages", "L L",
           "of each side, en or de, for spaCy's rules; else as file names end")
      .up_to(2)
      .seldom();
  list.add(o.min_freq, "min-freq", "N", "rarer words become <unk> (all but spm)").at_least(1).seldom();
  list.add(o.max_length, "max-length", "N", "leave out training pairs with more tokens on a side")
      .between(1, kMostIds);
  list.add(o.lowercase, "lowercase", "lower-case all text").by_task();
}

void list_model(ModelOptions& o, OptionList& list) {
  list.group("model", Keep::fixed);
  list.add_choice(o.type, "type", "translation|language-model|classification",
                  "encoder and decoder; a decoder alone (--enc-depth 0); an encoder alone (--dec-depth 0)");
  list.add(o.dim_emb, "dim-emb", "N", "width of the model").by_task().between(2, limits::kWidest);
  list.add(o.enc_depth, "enc-depth", "N", "encoder layers").by_task().between(0, limits::kMostLayers);
  list.add(o.dec_depth, "dec-depth", "N", "decoder layers").by_task().between(0, limits::kMostLayers);
  list.add(o.transformer_heads, "transformer-heads", "N", "attention heads; they divide the width")
      .by_task()
      .between(1, limits::kWidest);
  list.add(o.transformer_dim_ffn, "transformer-dim-ffn", "N", "inner width of the feed-forward block")
      .by_task()
      .between(1, kMostIds);
  list.add_choice(o.norm, "norm", "post|pre", "layer normalisation after each block (the paper) or before it")
      .by_task();
  list.add(o.layer_norm_epsilon, "layer-norm-epsilon", "X",
           "what layer normalisation adds to the variance; others have 1e-06")
      .between(1e-12, 0.1)
      .seldom();
  list.add_choice(o.transformer_ffn_activation, "transformer-ffn-activation", "relu|gelu|swish",
                  "between the two feed-forward layers; swish, also called SiLU: x sigmoid(x)")
      .by_task();
  list.add(o.tied_embeddings, "tied-embeddings", "target embedding and output layer share one matrix")
      .by_task();
  list.add(o.tied_embeddings_all, "tied-embeddings-all",
           "and the source embedding too; a vocabulary for each side unties it")
      .by_task();
  list.add(o.transformer_train_positions, "transformer-train-positions",
           "learn a vector for each position, up to --max-length, which is then also where translations "
           "end; else sines and cosines")
      .seldom();
  list.add(o.transformer_rotary_positions, "transformer-rotary-positions",
           "turn queries and keys of self-attention by their places (RoPE) instead of adding sines and "
           "cosines to the embeddings");
  list.add_choice(o.position_layout, "position-layout", "interleaved|split|marian",
                  "sine and cosine in turn (the paper) or in two halves; "
                  "marian: in halves, of Marian's frequencies")
      .seldom();
  list.add(o.quirks, "quirks", "NAME=VALUE...",
           "what published tutorials do otherwise (docs/quirks.md), "
           "such as pad-axis=both; slower, on the CPU")
      .up_to(32)
      .seldom();
}

void list_dropout(ModelOptions& o, OptionList& list) {
  list.group("regularisation", Keep::fixed);
  list.add(o.transformer_dropout, "transformer-dropout", "P", "on embeddings and on each block's output")
      .by_task()
      .between(0, kMaxDropout);
  list.add(o.transformer_dropout_attention, "transformer-dropout-attention", "P",
           "on attention probabilities")
      .by_task()
      .between(0, kMaxDropout)
      .seldom();
  list.add(o.transformer_dropout_ffn, "transformer-dropout-ffn", "P", "inside the feed-forward block")
      .by_task()
      .between(0, kMaxDropout)
      .seldom();
  list.add(o.label_smoothing, "label-smoothing", "X",
           "share of the probability spread over the whole vocabulary")
      .by_task()
      .between(0, kMaxDropout);
}

void list_search(SearchOptions& o, OptionList& list) {
  list.add(o.beam_size, "beam-size", "N",
           "beam of the last translation, and the model's default in xformer-translate")
      .alias("-b")
      .between(1, 64);
  list.add(o.normalize, "normalize", "A",
           "hypotheses compare by log-probability / length^A; also the model's default")
      .alias("-n")
      .between(0, kLargestPower);
}

void check_model(const ModelOptions& options) {
  const int64_t width = options.dim_emb, heads = options.transformer_heads;
  if (width % heads != 0) {
    fail(ErrorKind::usage, "transformer-heads: {} heads do not divide the width of {} (dim-emb)", heads,
         width);
  }
  check_positions(options);
}

std::string to_toml(const ModelSettings& settings) {
  StoredSettings stored;
  static_cast<ModelSettings&>(stored) = settings;
  return options_of(stored).to_toml();
}

ModelSettings model_settings_from_toml(const std::string& text, const std::string& name) {
  StoredSettings stored;
  OptionList list = options_of(stored);
  const GivenOptions given = parse_config(list, text, name);
  for (const Option& option : list) {
    if (option.is_by_task && !find_given(given, option.name))
      fail(ErrorKind::usage, "{}: no key '{}'; give the file that xformer-train wrote", name, option.name);
  }
  list.apply(given, OptionList::Origin::user);
  check_model(stored.model);
  return stored;
}

}  // namespace xf::tools
