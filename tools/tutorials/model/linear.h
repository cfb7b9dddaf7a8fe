// What the padded blocks are made of: an affine map, dropout, and values that show themselves.
#pragma once

#include "nn/forward_context.h"
#include "tools/tutorials/model/quirks.h"

namespace xf::nn::quirks {

// x, shown by the line that makes it.
inline Variable shown(const ForwardContext& context, std::string_view block, std::string_view equation,
                      std::string_view symbol, Variable x,
                      const std::source_location& line = std::source_location::current()) {
  context.show(block, equation, symbol, x.value(), line);
  return x;
}

inline Variable leaf(const ForwardContext& context, const Parameter& parameter) {
  return context.tape.leaf(parameter.value, parameter.gradient);
}

// Elements are dropped in training; counter i32 [2] is that of Tokens (nn/forward_context.h), where
// a sentence's padding is counted with its tokens.
Variable drop(const ForwardContext& context, const Variable& x, float p, uint32_t site,
              const Tensor& counter);

// Of a weight [out, in] that multiplies from the left.
Init weight_init(InitScheme scheme, int64_t in, int64_t out);

// y = x weight^T + bias
class Linear {
 public:
  enum class Bias { no, yes };
  Linear(ParameterStore& store, const std::string& name, int64_t in, int64_t out, InitScheme init,
         Bias bias = Bias::yes);
  // x [..., in] -> [..., out]
  Variable forward(const ForwardContext& context, const Variable& x) const;

  const Parameter& weight;  // [out, in]
  const Parameter* bias;    // [out]; null: none
};

}  // namespace xf::nn::quirks
