#include "data/id_reader.h"

#include "core/error.h"

namespace xf::data {

std::span<const int32_t> IdReader::take(int32_t count) {
  if (count < 0 || static_cast<size_t>(count) > left_.size()) fail(ErrorKind::data, "{}: cut short", name_);
  const auto taken = left_.first(static_cast<size_t>(count));
  left_ = left_.subspan(static_cast<size_t>(count));
  return taken;
}

void IdReader::end() const {
  if (!left_.empty()) fail(ErrorKind::data, "{}: more numbers than they have", name_);
}

}  // namespace xf::data
