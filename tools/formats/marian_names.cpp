#include "tools/formats/marian_names.h"

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

namespace {

class MarianParts {
 public:
  explicit MarianParts(const nn::TransformerConfig& config) : config_(config) {
    const bool pre = config.norm == nn::NormPlacement::pre;
    norm_suffix_ = pre ? "_pre" : "";
    if (config.tying == nn::Tying::all) {
      parts_.add(kMarianShared, source_table(config));
    } else {
      parts_.add(kMarianSource, source_table(config));
      parts_.add(kMarianTarget, target_table(config));
    }
    for (int64_t l = 0; l < config.encoder_layers; ++l) add_layer("encoder", l);
    for (int64_t l = 0; l < config.decoder_layers; ++l) add_layer("decoder", l);
    if (pre) {
      for (const std::string side : {"encoder", "decoder"}) add_norm(side + "_top", "", side + ".norm");
    }
    if (config.tying == nn::Tying::none) parts_.add(kMarianOutput, "output.weight");
    parts_.add(kMarianBias, "output.bias");
  }
  TensorParts take() { return std::move(parts_); }

 private:
  // A map's weight and bias, PREFIX_WNAME and PREFIX_bNAME.
  void add_map(const std::string& prefix, const char* name, const std::string& ours, int64_t begin = 0,
               int64_t rows = 0) {
    parts_.add({prefix + "_W" + name, ours + ".weight", begin, rows, true});
    parts_.add({prefix + "_b" + name, ours + ".bias", begin, rows});
  }
  void add_norm(const std::string& prefix, const std::string& suffix, const std::string& ours) {
    parts_.add(prefix + "_ln_scale" + suffix, ours + ".weight");
    parts_.add(prefix + "_ln_bias" + suffix, ours + ".bias");
  }
  void add_layer(const char* side, int64_t l) {
    const int64_t D = config_.dim;
    const std::string theirs = fmt::format("{}_l{}", side, l + 1), ours = layer_name(side, l);
    const std::string self = theirs + "_self", cross = theirs + "_context", feed_forward = theirs + "_ffn";
    int64_t row = 0;
    for (const char* projection : {"q", "k", "v"}) {
      add_map(self, projection, ours + ".self_attention.qkv", row, D);
      row += D;
    }
    add_map(self, "o", ours + ".self_attention.out");
    add_norm(self + "_Wo", norm_suffix_, ours + ".self_attention.norm");
    if (side == std::string_view("decoder")) {
      add_map(cross, "q", ours + ".cross_attention.q");
      add_map(cross, "k", "decoder.cross_kv", 2 * l * D, D);
      add_map(cross, "v", "decoder.cross_kv", 2 * l * D + D, D);
      add_map(cross, "o", ours + ".cross_attention.out");
      add_norm(cross + "_Wo", norm_suffix_, ours + ".cross_attention.norm");
    }
    add_map(feed_forward, "1", ours + ".feed_forward.in");
    add_map(feed_forward, "2", ours + ".feed_forward.out");
    add_norm(feed_forward + "_ffn", norm_suffix_, ours + ".feed_forward.norm");
  }

  const nn::TransformerConfig& config_;
  std::string norm_suffix_;
  TensorParts parts_{{}};
};

}  // namespace

TensorParts marian_parts(const nn::TransformerConfig& config) { return MarianParts(config).take(); }

}  // namespace xf::tools::exchange
