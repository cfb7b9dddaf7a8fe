// One thing to time: a function of kernels/*.h at a shape, in a type, on a device. Its inputs and
// its f64 reference come from tests/cases, so that what is timed is what the tests prove.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/extents.h"
#include "bench/inputs.h"

namespace xf::bench {

// The least that any implementation moves and computes: each operand read or written once.
struct Work {
  double bytes = 0, flops = 0;
};

// How far from the reference an output may be: `factor` times the type's tolerance, relative to the
// largest expected element, or to `floor` where that is larger (tests/support/compare.h).
struct Output {
  Tensor tensor;
  double factor = 2;
  double floor = 1e-30;
};

// What the outputs should be, each flat.
using Expected = std::vector<std::vector<double>>;

// What a kernel from elsewhere is given (bench/external/signature.h), by name.
struct Operands {
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::vector<std::pair<std::string, double>> numbers = {};
  const Tensor& tensor(std::string_view name) const;
};

// The function with inputs in place. Several are made to rotate through, so that none finds its
// inputs in a cache.
struct Call {
  std::function<void()> run;
  std::vector<Output> outputs;  // as one run leaves them
  // The outputs by definition, in their order, from the inputs as they are now: call it before
  // run().
  std::function<Expected()> reference;
  Operands operands = {};  // none: no kernel from elsewhere can take its place
};

struct Case {
  std::string fn;  // as it is called in kernels/
  std::vector<int64_t> dims;
  std::string variant;  // what the numbers do not say: "NT", "causal"
  tests::Target target;
  Work work;
  std::function<Call(Inputs&)> make;
  Extents extents = {};  // where the shape was free to choose (bench/free_shapes.h)

  // "4088x128", "14x14 causal"
  std::string shape() const;
};

// How far outputs are from their reference.
struct Deviation {
  double relative = 0;  // to the largest expected element, of the output furthest from what is
                        // allowed
  double allowed = 1;
  double of_allowed() const { return relative / allowed; }  // at most 1 passes
};
Deviation deviation(const Case& c, const Output& output, const std::vector<double>& expected);
// Of a call's outputs the furthest. Runs the call once.
Deviation deviation_of(const Case& c, const Call& call);

}  // namespace xf::bench
