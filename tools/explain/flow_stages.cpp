#include "tools/explain/flow_stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

constexpr int64_t kMostColumns = 16;  // of a matrix, in a picture
constexpr int64_t kMostHeads = 2;

constexpr const char* kTurnedTitle = "Turned by place";
constexpr const char* kTurnedNote =
    "Each pair of a head's columns, by an angle in proportion to the position: "
    "a score will know the distance.";

// All, or kMostColumns that are evenly spaced.
std::vector<int64_t> sampled_columns(int64_t width) {
  std::vector<int64_t> columns(static_cast<size_t>(std::min(width, kMostColumns)));
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i] = static_cast<int64_t>(i) * width / static_cast<int64_t>(columns.size());
  return columns;
}

FlowMatrix of_value(const SeenValue& seen, const Tensor& value, const std::string& label) {
  FlowMatrix matrix;
  matrix.label = label.empty() ? seen.symbol : label;
  matrix.block = seen.block, matrix.equation = seen.equation, matrix.symbol = seen.symbol;
  matrix.shape = seen.value.shape();
  matrix.value = value;
  matrix.columns = sampled_columns(value.width());
  return matrix;
}

// A value that no block shows.
FlowMatrix computed(const std::string& equation, const std::string& symbol, const Tensor& value) {
  return of_value({"", equation, symbol, value}, value, "");
}

// -inf right of the diagonal, as the mask has it.
Tensor causal_scores(const Tensor& s) {
  const Tensor masked = copy_of(s);
  for (int64_t i = 0; i < s.rows(); ++i)
    std::fill(masked.data<float>() + i * s.width() + i + 1, masked.data<float>() + (i + 1) * s.width(),
              -std::numeric_limits<float>::infinity());
  return masked;
}

FlowMatrix unnamed(FlowMatrix matrix) {
  matrix.row_names.clear(), matrix.column_names.clear();
  return matrix;
}

const char* note_of_layer(int64_t l) {
  return l == 0 ? "What its first head looks at, and what comes out."
                : "The same blocks, parameters of their own; of the heads, the first.";
}

std::string layer_name(const char* stack, int64_t l) { return fmt::format("{}.layers.{}", stack, l); }

}  // namespace

FlowMatrix FlowStages::matrix(const std::string& block, const std::string& symbol,
                              const std::string& label) const {
  const SeenValue& seen = pass_.traced.find(block, symbol);
  return of_value(seen, seen.value, label);
}

FlowMatrix FlowStages::head(const std::string& block, int64_t h, bool causal,
                            const std::vector<std::string>& keys) const {
  const SeenValue& seen = pass_.traced.find(block, "p");  // [1, H, Tq, Tk]
  const int64_t H = seen.value.dim(1), Tq = seen.value.dim(2), Tk = seen.value.dim(3);
  const Tensor p = seen.value.reshape({H * Tq, Tk}).slice_rows(h * Tq, (h + 1) * Tq);
  FlowMatrix map = of_value(seen, p, fmt::format("p, head {}", h));
  map.columns.resize(static_cast<size_t>(std::min(Tk, kMostRows)));
  std::iota(map.columns.begin(), map.columns.end(), 0);  // keys as rows: the first words, not a
                                                         // sample
  map.row_names = names_;
  for (const int64_t key : map.columns) map.column_names.push_back(keys[static_cast<size_t>(key)]);
  map.causal = causal;
  return map;
}

FlowMatrix FlowStages::columns_of_head(const std::string& block, const std::string& symbol, int64_t h) const {
  const SeenValue& seen = pass_.traced.find(block, symbol);
  const int64_t Dh = pass_.config.dim / pass_.config.heads;
  return of_value(seen, seen.value.slice_columns(h * Dh, (h + 1) * Dh),
                  fmt::format("{}, head {}", symbol, h));
}

FlowMatrix FlowStages::scores(const std::string& block, int64_t h) const {
  const bool turned = pass_.config.rotary_positions;
  const Tensor q = columns_of_head(block, turned ? "q'" : "q", h).value,
               k = columns_of_head(block, turned ? "k'" : "k", h).value;
  const Tensor s = Tensor::empty({q.rows(), k.rows()}, DType::f32);
  kernels::matmul(q, kernels::Transpose::no, k, kernels::Transpose::yes, kernels::Accumulate::no, s);
  kernels::scale(s, 1 / std::sqrt(static_cast<float>(q.width())), s);
  return computed("AT1", "s", s);
}

// Of the first norm that the pass came through behind a sublayer, whose name depends on where the
// model has its norms.
FlowMatrix FlowStages::of_next_norm(const std::string& block, const std::string& symbol,
                                    const std::string& label) const {
  const auto& values = pass_.traced.values;
  auto seen = std::ranges::find(values, block, &SeenValue::block);
  while (seen != values.end() && !(seen->equation == "RN0" && seen->symbol == symbol)) ++seen;
  if (seen == values.end()) fail(ErrorKind::failure, "no norm behind block '{}'", block);
  return of_value(*seen, seen->value, label);
}

// The residual stream behind a sublayer: post-norm normalises it, pre-norm what a sublayer reads of
// it.
FlowMatrix FlowStages::into_residual(const std::string& block, const std::string& label) const {
  if (!is_pre_norm()) return of_next_norm(block, "y", label);
  FlowMatrix stream = of_next_norm(block, "sum", label == "norm y" ? "stream" : label);
  stream.behind = block;
  return stream;
}

void FlowStages::add_norm(std::vector<FlowStage>& stages, const std::string& name) const {
  if (!is_pre_norm()) return;
  stages.push_back({"Norm",
                    "What the next block reads is normalised; the stream itself is not.",
                    {matrix(name + ".norm", "y", "norm y")}});
}

FlowStage FlowStages::words(const std::string& title, const std::vector<std::string>& words,
                            const std::vector<double>& numbers) const {
  FlowStage stage{.title = title};
  for (size_t i = 0; i < words.size(); ++i) {
    stage.words.push_back({words[i], std::nullopt});
    if (!numbers.empty()) stage.words.back().number = numbers[i];
  }
  return stage;
}

FlowStage FlowStages::source_embedding() const {
  if (pass_.config.rotary_positions) {
    return {"Embedding",
            "A word's row of the table, times sqrt(D). Positions will turn queries and keys.",
            {matrix("source_embedding", "x")}};
  }
  return {"Embedding + positions",
          "A word's row of the table, times sqrt(D), plus its position's.",
          {computed("EM1", "e", pass_.words), positions(), matrix("source_embedding", "x")}};
}

FlowMatrix FlowStages::positions() const {
  return computed(pass_.config.learned_positions ? "EM1" : "EM3", "pos", pass_.positions);
}

FlowStage FlowStages::target_embedding(const std::string& note) const {
  return {pass_.config.rotary_positions ? "Embedding" : "Embedding + positions",
          note,
          {matrix("target_embedding", "x")}};
}

FlowStage FlowStages::memory(const std::string& note) const {
  const std::string last = layer_name("encoder", pass_.config.encoder_layers - 1);
  return {"Memory", note, {of_next_norm(last + ".feed_forward", "y", "memory")}};
}

FlowStage FlowStages::heads(const std::string& block, bool causal, const std::vector<std::string>& keys,
                            const std::string& note) const {
  FlowStage stage{"Who looks at whom", note};
  for (int64_t h = 0; h < std::min(pass_.config.heads, kMostHeads); ++h)
    stage.matrices.push_back(head(block, h, causal, keys));
  return stage;
}

FlowStage FlowStages::back(const std::string& block) const {
  if (is_pre_norm()) {
    return {"Concat, projection, Add",
            "The heads' sums of v side by side, times the output matrix, added to the stream.",
            {matrix(block, "o"), matrix(block, "y"), into_residual(block, "norm y")}};
  }
  return {"Concat, projection, Add & Norm",
          "The heads' sums of v side by side, times the output matrix, added to the stream, normalised.",
          {matrix(block, "o"), matrix(block, "y"), into_residual(block, "norm y")}};
}

void FlowStages::add_self_attention(std::vector<FlowStage>& stages, const std::string& layer,
                                    const SelfAttentionText& text) const {
  const std::string block = layer + ".self_attention";
  add_norm(stages, block);
  stages.push_back(
      {text.title, text.projections, {matrix(block, "q"), matrix(block, "k"), matrix(block, "v")}});
  if (pass_.config.rotary_positions)
    stages.push_back({kTurnedTitle, kTurnedNote, {matrix(block, "q'"), matrix(block, "k'")}});
  stages.push_back(heads(block, text.causal, names_, text.probabilities));
  stages.push_back(back(block));
}

void FlowStages::add_cross_attention(std::vector<FlowStage>& stages, const std::string& layer) const {
  const std::string block = layer + ".cross_attention";
  add_norm(stages, block);
  FlowStage projections{"Cross-attention",
                        "Queries of the target; keys and values of the memory.",
                        {matrix(block, "q"), matrix(block, "k"), matrix(block, "v")}};
  projections.matrices[1].at_once = projections.matrices[2].at_once = true;
  projections.reads_memory = true;
  stages.push_back(std::move(projections));
  stages.push_back(heads(block, false, pass_.traced.source,
                         "Each target word's shares of the source words; a row's sum is 1."));
  stages.push_back(back(block));
}

void FlowStages::add_feed_forward(std::vector<FlowStage>& stages, const std::string& layer) const {
  const std::string block = layer + ".feed_forward";
  add_norm(stages, block);
  stages.push_back({is_pre_norm() ? "Feed-forward, Add" : "Feed-forward, Add & Norm",
                    is_pre_norm() ? "Each row by itself: wider, non-linear, back; added to the stream."
                                  : "Each row by itself: wider, non-linear, back; added and normalised.",
                    {matrix(block, "a"), matrix(block, "y"), into_residual(block, "norm y")}});
}

FlowStage FlowStages::encoder_layer(int64_t l) const {
  const std::string layer = layer_name("encoder", l);
  return {fmt::format("Layer {}", l),
          note_of_layer(l),
          {unnamed(head(layer + ".self_attention", 0, false, names_)),
           into_residual(layer + ".feed_forward", "norm y")}};
}

FlowStage FlowStages::decoder_layer(int64_t l) const {
  const std::string layer = layer_name("decoder", l);
  FlowMatrix self = unnamed(head(layer + ".self_attention", 0, true, names_)),
             cross = unnamed(head(layer + ".cross_attention", 0, false, pass_.traced.source));
  self.label = "p, self", cross.label = "p, cross";
  FlowStage stage{fmt::format("Layer {}", l),
                  note_of_layer(l),
                  {self, cross, into_residual(layer + ".feed_forward", "norm y")}};
  stage.reads_memory = true;
  return stage;
}

// Of a large vocabulary, the columns of the words that are to be said.
void FlowStages::add_logits(std::vector<FlowStage>& stages) const {
  add_norm(stages, "decoder");
  FlowMatrix z = matrix("output", "z");
  const TracedSentence& traced = pass_.traced;
  if (!pass_.vocabulary.empty()) {
    for (const int64_t id : z.columns) z.column_names.push_back(pass_.vocabulary[static_cast<size_t>(id)]);
  } else {
    z.columns.clear();
    for (size_t t = 0; t < traced.target_ids.size(); ++t) {
      const auto known = std::ranges::find(z.columns, traced.target_ids[t]);
      if (known != z.columns.end() || std::ssize(z.columns) == kMostColumns) continue;
      z.columns.push_back(traced.target_ids[t]);
      z.column_names.push_back(traced.target_out[t]);
    }
  }
  z.row_names = names_;
  stages.push_back(
      {"Logits", "A number for every word of the vocabulary; softmax makes probabilities of them.", {z}});
}

void FlowStages::add_attention_steps(std::vector<FlowStage>& stages, const std::string& block) const {
  const auto of_head = [&](const char* symbol) { return columns_of_head(block, symbol, 0); };
  FlowMatrix s = scores(block, 0), masked = s, p = head(block, 0, true, names_);
  s.row_names = masked.row_names = names_;
  s.column_names = masked.column_names = p.column_names;
  masked.label = "s, masked";
  masked.causal = true;
  masked.value = causal_scores(s.value);
  stages.push_back({"Queries, keys, values",
                    "Three projections of each row, then cut into heads: head 0.",
                    {of_head("q"), of_head("k"), of_head("v")}});
  if (pass_.config.rotary_positions)
    stages.push_back({kTurnedTitle, kTurnedNote, {of_head("q'"), of_head("k'")}});
  stages.push_back(
      {"Scores and mask", "Query times key over sqrt(Dh); later words are masked (hatched).", {s, masked}});
  stages.push_back({"Softmax", "Each row becomes shares with sum 1; masked ones are exactly 0.", {p}});
  stages.push_back({"Weighted sum", "Each query's shares of the values.", {of_head("v"), of_head("o")}});
  stages.push_back({"Concat", "All heads side by side.", {matrix(block, "o")}});
  stages.push_back({"Output projection", "Mixes what the heads found.", {matrix(block, "y")}});
}

void FlowStages::add_feed_forward_steps(std::vector<FlowStage>& stages, const std::string& layer) const {
  const std::string block = layer + ".feed_forward";
  stages.push_back(
      {"In",
       is_pre_norm() ? "The stream behind self-attention." : "What self-attention's Add & Norm made.",
       {into_residual(layer + ".self_attention", "x")}});
  add_norm(stages, block);
  stages.push_back({"Wider, then the non-linearity",
                    "a = f(x W1^T + b1): F numbers for each word.",
                    {matrix(block, "a")}});
  stages.push_back({"Back to the model's width", "y = a W2^T + b2.", {matrix(block, "y")}});
  stages.push_back({is_pre_norm() ? "Add" : "Add & Norm",
                    is_pre_norm() ? "Added to what came in." : "Added to what came in, and normalised.",
                    {into_residual(block, "norm y")}});
}

void FlowStages::add_embedding_steps(std::vector<FlowStage>& stages) const {
  stages.push_back(
      {"Embedding", "A word's row of the table, times sqrt(D).", {computed("EM1", "e", pass_.words)}});
  if (pass_.config.rotary_positions) return;
  stages.push_back({"Positions",
                    pass_.config.learned_positions
                        ? "A row that was learnt for the position."
                        : "Sines and cosines of the position, slower from pair to pair.",
                    {positions()}});
  stages.push_back({"Sum", "The same word elsewhere gives another row.", {matrix("source_embedding", "x")}});
}

}  // namespace xf::tools::explain
