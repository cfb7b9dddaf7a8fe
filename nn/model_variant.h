// Translation models that are not nn/transformer.h's. A library above the engine registers each by
// name; a configuration names it, with settings that only the variant understands.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/registered.h"
#include "core/tensor.h"
#include "nn/transformer_config.h"

namespace xf::nn {

class Model;
class ParameterStore;

class ModelVariant {
 public:
  virtual ~ModelVariant() = default;
  // As messages call it: "quirks".
  virtual std::string_view name() const = 0;
  // A TranslationModel. Error usage for sizes that it cannot have.
  virtual std::unique_ptr<Model> make(const TransformerConfig& config, ParameterStore& store) const = 0;
  // Error usage, with what to do, for vocabularies that it cannot use.
  virtual void check_vocabularies() const {}
  virtual bool supports(Feature) const { return false; }
};

// The ids that fill sentences up to a common length; -1 where a vocabulary has none, or is not
// known.
struct PadIds {
  int32_t source = -1, target = -1;
};

// Of settings as a configuration has them: {"pad-axis=both"}. Error usage for settings that it does
// not know.
using VariantFactory = std::function<std::shared_ptr<const ModelVariant>(
    const std::vector<std::string>& settings, const PadIds& pad)>;

// By the name that a configuration has.
Registered<VariantFactory>& model_variants();

}  // namespace xf::nn
