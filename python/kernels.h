// The engine's kernels as functions of the extension module; python/xformer/kernels.py says what
// they take.
#pragma once

#include <nanobind/nanobind.h>

namespace xf::python {

// A function whose arguments may be None, those that are arrays.
template <typename Result, typename... Arguments>
void define(nanobind::module_& module, const char* name, Result (*function)(Arguments...)) {
  const auto may_be_none = [](auto*...) { return nanobind::arg().none(); };
  module.def(name, function, may_be_none(static_cast<std::decay_t<Arguments>*>(nullptr))...);
}

void define_kernels(nanobind::module_& module);
void define_attention_kernels(nanobind::module_& module);

}  // namespace xf::python
