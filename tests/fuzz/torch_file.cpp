// A file of torch.save(): archives, deflated ones too, and pickles.
#include "tools/formats/torch_file.h"
#include "tests/fuzz/target.h"
#include "tools/formats/pickle.h"
#include "tools/formats/zip_file.h"

namespace xf::fuzz {

void read(std::string_view bytes) {
  using namespace tools::exchange;
  attempt([&] { tools::exchange::PickleReader(bytes, "data.pkl").read(); });
  attempt([&] {
    std::string unpacked;
    for (const auto& [name, entry] : parse_zip(bytes, "archive")) {
      attempt([&, &file = entry] {
        promise(file.read(file.size(), unpacked).size() == file.size(), "an entry has the size that it says");
      });
    }
  });
  const StoredArrays stored = parse_torch_file(bytes, "pytorch_model.bin");
  for (const auto& [name, array] : stored.arrays) {
    promise(array.deflated || array.bytes.size() ==
                                  static_cast<size_t>(elements_of(array.shape, name) * size_of(array.type)),
            "an array has its elements' bytes");
    attempt([&, &values = array] { f32_values(values, "pytorch_model.bin"); });
  }
}

}  // namespace xf::fuzz
