// One op on numbers of the reader's: every equation of its page by id, with the values that the
// plain kernel (kernels/plain/) gives, what the fast kernel in f32 makes of the same input, and for
// each gradient the central difference of the fast kernel in f64. Nothing is computed here but by
// the engine's kernels.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "tools/config/program_options.h"

namespace xf::tools::explain {

// Inputs and results of an op by name. "x" is the main input, "y" the output, "dy" the gradient
// from above.
using Tensors = std::map<std::string, Tensor>;

struct Input {
  const char* name;
  const char* example;  // what it is where nobody gives it: rows apart by ';', elements by ','; a
                        // name:
                        // shaped like it; "": nothing
  bool is_index = false;
};

struct Equation {
  const char* id;
  const char* formula;
  std::vector<const char*> results;
  const char* gradient_of =
      nullptr;  // the input whose gradient the result is, checked by central differences
};

struct Op {
  const char* name;
  const char* page;  // of docs/derivations
  std::vector<Input> inputs;
  std::vector<Equation> equations;
  // The fast kernels, in the type of the inputs. forward makes its results; the gradients of inputs
  // are there, zero.
  std::function<void(Tensors&)> forward, backward;
  std::function<void(Tensors&)> plain;  // both directions, in f64; all results are there, zero
};

const std::vector<Op>& ops();
// Error usage, with the nearest name.
const Op& find_op(const std::string& name);

struct Result {
  std::string name;
  Tensor value;      // f64, of the plain kernel
  double f32 = 0;    // the fast kernel in f32: largest difference relative to the largest element,
                     // at least
                     // 1e-3
  Tensor numeric;    // of a gradient: its central difference
  double error = 0;  // between the two, measured as f32 is
};

struct ExplainedEquation {
  const Equation* equation;
  std::vector<Result> results;
};

struct Explanation {
  const Op* op;
  Tensors inputs;  // f64 and i32
  std::vector<ExplainedEquation> equations;
};

// `given`: the text of inputs by name. Error usage for a name that the op lacks, a number that is
// none, a shape that does not fit.
Explanation explain(const Op& op, const std::map<std::string, std::string>& given);

std::string to_text(const Explanation& explanation);
std::string to_json(const Explanation& explanation);

// The page of the op that the options name, as text or JSON; of none: the list of ops.
std::string op_page(const OpOptions& options);

}  // namespace xf::tools::explain
