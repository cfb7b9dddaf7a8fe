// The configurations of xformer-explain's commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// xformer-explain op
struct OpOptions : PageOptions {
  OpOptions() : PageOptions(Program::explain_op) {}

  std::string op;
  std::string x;
  std::string dy;
  std::vector<std::string> with;
};

// xformer-explain steps
struct StepsOptions : PageOptions {
  StepsOptions() : PageOptions(Program::explain_steps) {}

  std::string task = "seed001";
  std::string step;
};

// xformer-explain masks
struct MasksOptions : PageOptions {
  MasksOptions() : PageOptions(Program::explain_masks) {}

  std::string source;
  std::string target;
  std::string pad = "<pad>";
};

// xformer-explain positions
struct PositionsOptions : PageOptions {
  PositionsOptions() : PageOptions(Program::explain_positions) {}

  int64_t length = 50;
  int64_t dim = 64;
  std::string layout = "interleaved";
  std::vector<int64_t> columns;
};

// xformer-explain attention
struct AttentionOptions : PageOptions {
  AttentionOptions() : PageOptions(Program::explain_attention) {}

  std::vector<std::string> sentence;
  std::string model;
  std::string target;
  std::string part = "all";
  std::string layer = "all";
  std::string head = "all";
  std::string focus;
  ComputeOptions compute;
};

// xformer-explain flow
struct FlowOptions : PageOptions {
  FlowOptions() : PageOptions(Program::explain_flow) { format = "svg"; }

  std::vector<std::string> subject;
  std::string model;
  ComputeOptions compute;
};

// A model and a sentence pair, or none of them: a micro-model and its own.
struct PairOptions : PageOptions {
  using PageOptions::PageOptions;

  std::string source;
  std::string target;
  std::string model;
  ComputeOptions compute;
};

// xformer-explain tape
struct TapeOptions : PairOptions {
  TapeOptions() : PairOptions(Program::explain_tape) {}
};

// xformer-explain gradients
struct GradientsOptions : PairOptions {
  GradientsOptions() : PairOptions(Program::explain_gradients) {}

  bool check = false;
  int64_t samples = 4;
  int64_t seed = 1;
};

// xformer-explain beam
struct BeamOptions : PageOptions {
  BeamOptions() : PageOptions(Program::explain_beam) {}

  std::string source;
  std::string model;
  std::optional<int64_t> beam_size;
  std::optional<double> normalize;
  ComputeOptions compute;
};

// xformer-explain logits
struct LogitsOptions : PageOptions {
  LogitsOptions() : PageOptions(Program::explain_logits) {}

  std::string source;
  std::string model;
  std::string target;
  int64_t top = 5;
  std::optional<int64_t> position;
  ComputeOptions compute;
};

// xformer-explain quirk
struct QuirkOptions : PageOptions {
  QuirkOptions() : PageOptions(Program::explain_quirk) {}

  std::string quirk;
};

void list_options(OpOptions& o, OptionList& list);
void list_options(StepsOptions& o, OptionList& list);
void list_options(MasksOptions& o, OptionList& list);
void list_options(PositionsOptions& o, OptionList& list);
void list_options(AttentionOptions& o, OptionList& list);
void list_options(FlowOptions& o, OptionList& list);
void list_options(TapeOptions& o, OptionList& list);
void list_options(GradientsOptions& o, OptionList& list);
void list_options(BeamOptions& o, OptionList& list);
void list_options(LogitsOptions& o, OptionList& list);
void list_options(QuirkOptions& o, OptionList& list);

}  // namespace xf::tools
