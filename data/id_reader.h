// Ids and counts that were stored as numbers, read one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace xf::data {

class IdReader {
 public:
  // `name`: of what is read, for messages.
  IdReader(std::span<const int32_t> numbers, std::string name) : left_(numbers), name_(std::move(name)) {}

  // Error data where fewer are left, or a count is below zero.
  int32_t next() { return take(1).front(); }
  std::vector<int32_t> next(int32_t count) {
    const std::span<const int32_t> taken = take(count);
    return {taken.begin(), taken.end()};
  }
  // Error data if more is left.
  void end() const;

 private:
  std::span<const int32_t> take(int32_t count);

  std::span<const int32_t> left_;
  std::string name_;
};

}  // namespace xf::data
