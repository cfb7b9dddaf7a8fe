// The extents of a tensor, outermost first. Rank 0 to 4; a scalar is [1] by convention.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace xf {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims);
  // As a file has them: none is a scalar's, at most kMaxRank.
  static Shape of(const std::vector<int64_t>& extents);

  int rank() const { return rank_; }
  // Negative indices count from the end, as in Python.
  int64_t operator[](int i) const { return dims_[i < 0 ? rank_ + i : i]; }
  int64_t numel() const;
  // Rows and width of the [N, D] matrix that the tensor is when its leading axes are flattened.
  int64_t width() const { return rank_ == 0 ? 1 : dims_[rank_ - 1]; }
  int64_t rows() const { return width() == 0 ? leading() : numel() / width(); }
  void set(int i, int64_t extent) { dims_[i < 0 ? rank_ + i : i] = extent; }
  std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  int64_t leading() const;

  int64_t dims_[kMaxRank] = {0, 0, 0, 0};
  int rank_ = 0;
};

}  // namespace xf
