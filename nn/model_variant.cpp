#include "nn/model_variant.h"

namespace xf::nn {

Registered<VariantFactory>& model_variants() {
  static Registered<VariantFactory> all;
  return all;
}

}  // namespace xf::nn
