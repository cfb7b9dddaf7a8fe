// Data flow: a part of the Transformer as stages in the order of the computation, each with the
// values that the blocks showed on one sentence's way (nn/trace.h). The decoder has two flows over
// the same values: in training all positions go through a stage at once; in decoding a position
// goes through all stages before the next begins with the word that it chose.
#pragma once

#include <optional>

#include "tools/config/program_options.h"
#include "tools/explain/flow_pass.h"

namespace xf::tools::explain {

constexpr int64_t kMostRows = 12;  // of a matrix, in a picture: the first words

struct FlowMatrix {
  std::string label;  // in the picture: the symbol, or what it is used as: "memory"
  std::string block, equation,
      symbol;                    // as traced; a block without a name: computed by the equation's
                                 // kernel
  std::string behind;            // in pre-norm: the block that added to the stream, which the next
                                 // block's
                                 // norm shows
  Shape shape;                   // of the traced value
  Tensor value;                  // f32 [rows, width]: the traced value, or one head of it
  std::vector<int64_t> columns;  // those to show: all, or a sample of a wide
                                 // matrix
  std::vector<std::string> row_names, column_names;  // column_names: of `columns`; empty: not named
  bool causal = false;                               // right of the diagonal is masked
  bool at_once = false;                              // also where the flow goes row by row
};

struct FlowWord {
  std::string text;
  std::optional<double> number;
};

struct FlowStage {
  std::string title, note = {};
  std::vector<FlowMatrix> matrices = {};
  std::vector<FlowWord> words = {};  // instead of matrices
  bool is_memory = false;            // the encoder's output, there before the decoder begins
  bool reads_memory = false;
};

struct Flow {
  std::string subject, title, model;
  bool stepwise = false;  // row by row through all stages
  std::vector<FlowStage> stages;

  // Rows that are told apart: positions of the target that are drawn, 1 where all go at once.
  int64_t rows() const;
  // When row `row` is in stage `stage`: from 0, ticks().
  int64_t tick(size_t stage, int64_t row) const;
  int64_t ticks() const;
};

// "model", "encoder", "training", "decoding", "attention", "feed_forward", "positions".
const std::vector<std::string>& flow_subjects();
// Error usage, with the nearest name. The pass of decoding must be greedy.
Flow make_flow(const std::string& subject, const FlowPass& pass);
FlowTarget flow_target(const std::string& subject);

// What `xformer-explain flow` writes. Error usage for a sentence without a model, or a model
// without a sentence; errors of model_pass().
std::string flow_document(const FlowOptions& options);

// An animated drawing: CSS without scripts. Where nothing moves, by wish or by the viewer, the
// finished picture.
std::string to_svg(const Flow& flow);
std::string to_html(const Flow& flow);
std::string to_text(const Flow& flow);
std::string to_json(const Flow& flow);

}  // namespace xf::tools::explain
