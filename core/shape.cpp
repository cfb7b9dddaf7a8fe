#include "core/shape.h"

#include "core/error.h"

namespace xf {

Shape Shape::of(const std::vector<int64_t>& extents) {
  switch (extents.size()) {
    case 0: return {1};
    case 1: return {extents[0]};
    case 2: return {extents[0], extents[1]};
    case 3: return {extents[0], extents[1], extents[2]};
    default:
      XF_CHECK(extents.size() == kMaxRank, "shape: at most {} axes, got {}", kMaxRank, extents.size());
      return {extents[0], extents[1], extents[2], extents[3]};
  }
}

Shape::Shape(std::initializer_list<int64_t> dims) {
  XF_CHECK(dims.size() <= kMaxRank, "shape: at most {} axes, got {}", kMaxRank, dims.size());
  for (const int64_t extent : dims) {
    XF_CHECK(extent >= 0, "shape: an extent must not be negative, got {}", extent);
    dims_[rank_++] = extent;
  }
}

int64_t Shape::numel() const { return leading() * width(); }

int64_t Shape::leading() const {
  int64_t n = 1;
  for (int i = 0; i + 1 < rank_; ++i) n *= dims_[i];
  return n;
}

std::string Shape::to_string() const {
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) text += (i ? ", " : "") + std::to_string(dims_[i]);
  return text + "]";
}

bool operator==(const Shape& a, const Shape& b) {
  if (a.rank_ != b.rank_) return false;
  for (int i = 0; i < a.rank_; ++i) {
    if (a.dims_[i] != b.dims_[i]) return false;
  }
  return true;
}

}  // namespace xf
