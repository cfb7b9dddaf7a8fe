#include "nn/model_variant.h"

#include <map>

#include "core/error.h"

namespace xf::nn {

namespace {

std::map<std::string, VariantFactory>& variants() {
  static std::map<std::string, VariantFactory> all;
  return all;
}

}  // namespace

void register_variant(const std::string& name, VariantFactory factory) {
  variants().insert_or_assign(name, std::move(factory));
}

std::shared_ptr<const ModelVariant> make_variant(const std::string& name,
                                                 const std::vector<std::string>& settings,
                                                 const PadIds& pad) {
  const auto found = variants().find(name);
  if (found == variants().end())
    fail(ErrorKind::usage, "{}: this build has no tutorials; build with XFORMER_TUTORIALS=ON", name);
  return found->second(settings, pad);
}

}  // namespace xf::nn
