// What is told while a program prepares its work.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>

namespace xf::tools {

class Announce {
 public:
  using Tell = std::function<void(const std::string&)>;

  Announce() = default;  // to nobody
  // activity: what goes on, for a terminal; may throw Stopped. line: one that stays.
  template <std::invocable<const std::string&> Activity>
  Announce(Activity activity, Tell line = {}) : activity_(std::move(activity)), line_(std::move(line)) {}

  void operator()(const std::string& activity) const {
    if (activity_) activity_(activity);
  }
  void tell(const std::string& line) const {
    if (line_) line_(line);
  }

 private:
  Tell activity_, line_;
};

}  // namespace xf::tools
