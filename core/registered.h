// What libraries above a room add to it, by name. A build that leaves such a library out has an
// empty list.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace xf {

// Error usage, for what only a build with the tutorials has.
[[noreturn]] inline void fail_without_tutorials(std::string_view asked) {
  fail(ErrorKind::usage, "{}: this build has no tutorials; build with XFORMER_TUTORIALS=ON", asked);
}

// Filled before the first thread reads it.
template <typename T>
class Registered {
 public:
  void add(const std::string& name, T value) { all_.insert_or_assign(name, std::move(value)); }
  bool empty() const { return all_.empty(); }
  // Null for a name that nobody added.
  const T* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  // Error usage for a name that nobody added.
  const T& at(const std::string& name) const {
    if (const T* const found = find(name)) return *found;
    fail_without_tutorials(name);
  }

 private:
  std::map<std::string, T> all_;
};

}  // namespace xf
