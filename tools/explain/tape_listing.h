// The tape of one training step, watched: which nodes a model's forward pass records, what memory
// each adds, and what backward makes of them, last to first (docs/derivations/tape.md).
#pragma once

#include <string>
#include <vector>

#include "tools/config/program_options.h"
#include "tools/explain/training_pair.h"

namespace xf::tools::explain {

struct TapeNode {
  struct Value {
    int64_t node;  // that made it; -1: a parameter or a constant
    Shape shape;   // what is read of it: a view is narrower than the value
  };
  std::string name;          // of the block, as its parameters are named
  std::vector<Value> reads;  // parameters that a block's own closure differentiates are not among
                             // them
  std::vector<Shape> makes;
  int64_t recorded = 0;  // bytes of the arena in use when forward had recorded it
  bool ran = false;      // a gradient reached it
  int64_t before =
      0;  // bytes in use when its closure was about to run, the gradients of its outputs among them
  int64_t after = 0;    // and when the node was gone
  double gradient = 0;  // norm of the gradients that reached its outputs, over all of them; a
                        // root's is 1
};

struct TapeListing {
  std::string title;
  int64_t source_tokens = 0, target_tokens = 0;
  double loss = 0;              // sum over the target tokens
  std::vector<TapeNode> nodes;  // in the order of recording
};

TapeListing list_tape(const TrainingPair& pair);

// xformer-explain tape
std::string tape(const TapeOptions& options);

std::string to_text(const TapeListing& listing);  // last node first
std::string to_json(const TapeListing& listing);
std::string to_svg(const TapeListing& listing);

}  // namespace xf::tools::explain
