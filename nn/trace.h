// What a forward pass computes on its way, by name, for whoever wants to look: xformer-explain, a
// test. A pass that nobody looks at pays one comparison per value.
#pragma once

#include <source_location>
#include <string_view>

#include "core/tensor.h"

namespace xf::nn {

class Trace {
 public:
  virtual ~Trace() = default;
  // `block` is named as its parameters are: "encoder.layers.0.self_attention". `equation` is the id
  // of the one that made the value, `symbol` what that page calls it: "AB2", "o". The memory is the
  // pass's: copy what is to stay.
  virtual void value(std::string_view block, std::string_view equation, std::string_view symbol,
                     const Tensor& value) = 0;
  // The line of the pass that shows the next value.
  virtual void at(const std::source_location&) {}
};

}  // namespace xf::nn
