#include "tools/tutorials/step_table.h"

#include <map>

#include "core/error.h"

namespace xf::tools::explain {

namespace {

constexpr bool kInFlow = true;
constexpr const char* kSource = "source_embedding";
constexpr const char* kTarget = "target_embedding";
constexpr const char* kAttention = "encoder.layers.0.self_attention";
constexpr const char* kFeedForward = "encoder.layers.0.feed_forward";
constexpr const char* kEncoderLayer = "encoder.layers.0";
constexpr const char* kDecoderLayer = "decoder.layers.0";
constexpr const char* kDecoderSelf = "decoder.layers.0.self_attention";
constexpr const char* kDecoderCross = "decoder.layers.0.cross_attention";
constexpr const char* kDecoderFeedForward = "decoder.layers.0.feed_forward";

std::vector<StepRow> embedding_steps() {
  return {
      {"1.1",
       "Token embedding",
       "Each id takes its row of the table, which has a row "
       "for each of the 10 words and the model's 6 columns. Id 0 is padding and has a row like any other. "
       "The paper multiplies by sqrt(6) here; this model does not.",
       {{"ids", kSource, "ids", kInFlow}, {"tokens", kSource, "tokens", kInFlow}}},
      {"1.2",
       "Positional embedding",
       "Sines and cosines of the position, a pair for every two columns; "
       "a sentence of 4 takes the first 4 rows. The exponent is 4i/D where the paper has 2i/D, "
       "so that every wavelength is squared: from the third column on neighbours hardly differ.",
       {{"table", kSource, "table", kInFlow}, {"positions", kSource, "positions", kInFlow}}},
      {"1.3",
       "Sum and dropout",
       "The same positions are added to both sentences. "
       "In training dropout sets a tenth of the elements to 0 and enlarges the others; here it is off.",
       {{"sum", kSource, "sum", kInFlow}, {"x", kSource, "x", kInFlow}}},
  };
}

std::vector<StepRow> sublayer_steps() {
  return {
      {"2.1",
       "Multi-head attention",
       "Three affine maps make queries, keys and values. "
       "Columns 0 to 2 are head 0, columns 3 to 5 head 1: split, each head attends by itself (2.1.1). "
       "Then the heads stand side by side again, and a fourth map mixes them.",
       {{"x", kAttention, "x", kInFlow},
        {"q", kAttention, "q", kInFlow},
        {"k", kAttention, "k"},
        {"v", kAttention, "v"},
        {"q_heads", kAttention, "q_heads", kInFlow},
        {"joined", kAttention, "joined", kInFlow},
        {"y", kAttention, "y", kInFlow}}},
      {"2.1.1",
       "Attention kernel",
       "Keys are read transposed, as [2, 2, 3, 4]: a score is the product of a query and a key over sqrt(3). "
       "The scores of padded keys become -10000, of which softmax makes 0. "
       "Each row of p sums to 1; o is the mean of the values, weighed by p.",
       {{"q", kAttention, "q_heads", kInFlow},
        {"k", kAttention, "k_heads"},
        {"v", kAttention, "v_heads"},
        {"s", kAttention, "s", kInFlow},
        {"masked", kAttention, "masked"},
        {"p", kAttention, "p", kInFlow},
        {"o", kAttention, "o", kInFlow}}},
      {"2.2",
       "Add and norm",
       "What attention made is added to what went into it, after dropout, and "
       "each row is brought to mean 0 and variance 1 (post-norm). Gains are 1 and offsets 0 at the start.",
       {{"sum", kAttention, "sum", kInFlow}, {"y", kAttention, "normed", kInFlow}}},
      {"2.3",
       "Feed-forward",
       "Each position by itself: an affine map to 3 values, "
       "of which the negative ones become 0, and one back to 6.",
       {{"x", kFeedForward, "x", kInFlow},
        {"a", kFeedForward, "a", kInFlow},
        {"y", kFeedForward, "y", kInFlow}}},
  };
}

std::vector<StepRow> stack_steps() {
  return {
      {"3.1",
       "Encoder layer",
       "Attention, add and norm, feed-forward, add and norm. "
       "Its result has the shape of its input: layers stack.",
       {{"x", kEncoderLayer, "x", kInFlow}, {"y", kEncoderLayer, "y", kInFlow}}},
      {"3.2",
       "Encoder",
       "Embedding, then nine layers with weights of their own, each of which reads the one before.",
       {{"x", kSource, "x", kInFlow}, {"y", "encoder", "y", kInFlow}}},
      {"4.1",
       "Decoder layer",
       "Attention among the target's words (p_self), attention to the encoder's output (p_cross), "
       "feed-forward; behind each the sum and the norm. All three places use the first norm: "
       "the second is never read, 108 parameters in nine layers that get no gradient. "
       "Row 3 of sentence 0 is padding and may attend nobody. "
       "All its scores are -10000, so that it attends the whole sentence alike, the future too.",
       {{"x", kDecoderLayer, "x", kInFlow},
        {"p_self", kDecoderSelf, "p"},
        {"y_self", kDecoderSelf, "normed", kInFlow},
        {"p_cross", kDecoderCross, "p"},
        {"y_cross", kDecoderCross, "normed", kInFlow},
        {"y", kDecoderFeedForward, "normed", kInFlow}}},
      {"4.2",
       "Decoder",
       "Embedding, then nine layers; each attends the same output of the encoder.",
       {{"x", kTarget, "x", kInFlow}, {"y", "decoder", "y", kInFlow}}},
      {"5",
       "Transformer and masks",
       "1 = may attend. The source's mask hides padded keys from every query. The target's hides the future; "
       "padding it hides along the wrong axis, as an empty row where a column was meant. "
       "The last map gives each position ten logits, one for each word. "
       "The whole target is read, without the shift by one that training needs.",
       {{"source", kSource, "ids"},
        {"target", kTarget, "ids", kInFlow},
        {"source_mask", "masks", "source"},
        {"target_mask", "masks", "target"},
        {"logits", "output", "z", kInFlow}}},
  };
}

}  // namespace

const std::vector<StepRow>& step_table() {
  static const std::vector<StepRow> table = [] {
    std::vector<StepRow> all;
    for (const auto& rows : {embedding_steps(), sublayer_steps(), stack_steps()})
      all.insert(all.end(), rows.begin(), rows.end());
    return all;
  }();
  return table;
}

std::string page_of(const std::string& equation) {
  static const std::map<std::string, std::string> pages = {
      {"EM", "embedding"},  {"DR", "dropout"},      {"AB", "attention_block"},
      {"AT", "attention"},  {"SM", "softmax"},      {"RN", "residual"},
      {"LN", "layer_norm"}, {"AC", "feed_forward"}, {"LI", "matmul"}};
  const auto found = pages.find(equation.substr(0, 2));
  if (found == pages.end()) fail(ErrorKind::failure, "equation {} is on no page", equation);
  return "docs/derivations/" + found->second + ".md";
}

}  // namespace xf::tools::explain
