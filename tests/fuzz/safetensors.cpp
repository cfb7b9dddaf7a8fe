#include "nn/checkpoint/safetensors.h"

#include "tests/fuzz/target.h"

namespace xf::fuzz {

void read(std::string_view bytes) {
  size_t size = 0;
  for (const auto& [name, tensor] : nn::parse_safetensors(bytes, "model.safetensors").tensors)
    size += static_cast<size_t>(tensor.bytes());
  promise(size <= bytes.size(), "the tensors take what the file holds");
}

}  // namespace xf::fuzz
