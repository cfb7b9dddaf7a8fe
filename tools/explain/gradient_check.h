// The gradient of every parameter for one sentence pair, and its proof: in f64 against central
// differences, and in f32 against f64.
#pragma once

#include <string>
#include <vector>

#include "tools/config/program_options.h"
#include "tools/explain/training_pair.h"

namespace xf::tools::explain {

// Errors are relative to the largest gradient element of the parameter, or to this share of the
// whole model's largest where that is more: a gradient that is zero in exact arithmetic, as that of
// the key's bias (docs/derivations/attention_block.md), is rounding alone and has no relative
// error.
constexpr double kGradientFloor = 1e-2;
// At most, f64 against central differences and f32 against f64.
constexpr double kWorstF64 = 1e-6, kWorstF32 = 1e-3;

struct ParameterGradient {
  std::string name;
  Shape shape;
  double value_norm = 0;
  double norm = 0, root_mean_square = 0, largest = 0;  // of the gradient
  int64_t compared = 0;                                // elements that were moved; 0 without a
                                                       // check
  double f64 = 0, f32 = 0;                             // worst errors
  bool good() const { return f64 <= kWorstF64 && f32 <= kWorstF32; }
};

struct GradientReport {
  std::string title;
  double loss = 0;  // sum over the target tokens
  bool checked = false;
  std::vector<ParameterGradient> parameters;
};

// Of a pair whose gradients are accumulated.
GradientReport measure_gradients(const TrainingPair& pair, double loss);
// Completes a report on `exact`, a pair in f64, whose gradients and those of `fast`, the same in
// f32, are accumulated. Of each parameter the element with the largest gradient and samples - 1
// drawn by the seed, or all that there are, are moved.
void check_gradients(const TrainingPair& exact, const TrainingPair& fast, int64_t samples, uint64_t seed,
                     GradientReport& report);

std::string to_text(const GradientReport& report);
std::string to_json(const GradientReport& report);

// xformer-explain gradients
GradientReport gradients(const GradientsOptions& options);
// Error failure that names the worst parameter whose error is too large; nothing if there is none.
void demand_good(const GradientReport& report);

}  // namespace xf::tools::explain
