// A walk through the small Transformer of a published tutorial, tutorials/by-hand, one step after
// the other: what goes in, what comes out, each value with its equation and the line of code that
// made it. The values are the engine's (tools/tutorials/model/transformer.h); nothing is computed
// here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace xf::tools::explain {

struct StepValue {
  std::string name;      // "q"
  std::string equation;  // "AB1"
  std::string page;      // "docs/derivations/attention_block.md"
  std::string file;      // "tools/tutorials/model/attention.cpp"
  unsigned line = 0;
  Tensor value;  // f64 or i32, shaped as in the model
};

struct WalkStep {
  std::string number, title;        // "2.1.1", "Attention kernel"
  std::vector<std::string> shapes;  // that the data takes on its way: "[2, 4]", "[2, 4, 6]"
  std::string text;                 // what happens, in a sentence or two
  std::vector<StepValue> values;

  // Error failure when the step has no such value.
  const StepValue& find(const std::string& name) const;
};

struct Walk {
  std::string model;  // what it is, for a title
  std::vector<WalkStep> steps;
  std::map<std::string, Tensor> parameters;  // f64
};

// tutorials/by-hand with its initial values, on the tutorial's own test input: two sentences of
// four ids on either side.
Walk walk_by_hand();
// With these parameters in place of the initial ones.
Walk walk_by_hand(const std::map<std::string, Tensor>& parameters);
// The walk with one step alone; Error usage for a number that no step has.
Walk only(Walk walk, const std::string& number);

std::string to_text(const Walk& walk);  // at most 100 columns
std::string to_json(const Walk& walk);  // with the parameters, so that another program can repeat
                                        // it
std::string to_svg(const Walk& walk);   // the chain of steps and shapes
std::string to_html(const Walk& walk);  // a page of its own, without scripts

}  // namespace xf::tools::explain
