// The stages that flows are put together from, each made of a pass's traced values.
#pragma once

#include "tools/explain/flow.h"

namespace xf::tools::explain {

class FlowStages {
 public:
  // `names`: of the rows, the words on the side that the flow is about. Both must outlive this.
  FlowStages(const FlowPass& pass, const std::vector<std::string>& names) : pass_(pass), names_(names) {}

  FlowStage words(const std::string& title, const std::vector<std::string>& words,
                  const std::vector<double>& numbers = {}) const;
  FlowStage source_embedding() const;
  FlowStage target_embedding(const std::string& note) const;
  FlowStage memory(const std::string& note) const;
  // A layer in short: what its heads look at, and what comes out.
  FlowStage encoder_layer(int64_t l) const;
  FlowStage decoder_layer(int64_t l) const;

  // What differs between the three self-attentions: title and note of the projections, note of the
  // probabilities.
  struct SelfAttentionText {
    const char *title, *projections, *probabilities;
    bool causal;
  };
  // Three stages each: projections, probabilities, and the way back into the residual stream. In
  // pre-norm a block's norm comes before it, and the decoder's last before the logits.
  void add_self_attention(std::vector<FlowStage>& stages, const std::string& layer,
                          const SelfAttentionText& text) const;
  void add_cross_attention(std::vector<FlowStage>& stages, const std::string& layer) const;
  void add_feed_forward(std::vector<FlowStage>& stages, const std::string& layer) const;
  void add_logits(std::vector<FlowStage>& stages) const;

  // One equation a stage.
  void add_attention_steps(std::vector<FlowStage>& stages, const std::string& block) const;
  void add_feed_forward_steps(std::vector<FlowStage>& stages, const std::string& layer) const;
  void add_embedding_steps(std::vector<FlowStage>& stages) const;

 private:
  FlowMatrix matrix(const std::string& block, const std::string& symbol, const std::string& label = "") const;
  FlowMatrix head(const std::string& block, int64_t h, bool causal,
                  const std::vector<std::string>& keys) const;
  FlowMatrix columns_of_head(const std::string& block, const std::string& symbol, int64_t h) const;
  FlowMatrix scores(const std::string& block, int64_t h) const;
  FlowMatrix positions() const;  // what is added for them
  bool is_pre_norm() const { return pass_.config.norm == nn::NormPlacement::pre; }
  void add_norm(std::vector<FlowStage>& stages, const std::string& name) const;
  FlowMatrix of_next_norm(const std::string& block, const std::string& symbol,
                          const std::string& label) const;
  FlowMatrix into_residual(const std::string& block, const std::string& label) const;
  FlowStage heads(const std::string& block, bool causal, const std::vector<std::string>& keys,
                  const std::string& note) const;
  FlowStage back(const std::string& block) const;

  const FlowPass& pass_;
  const std::vector<std::string>& names_;
};

}  // namespace xf::tools::explain
