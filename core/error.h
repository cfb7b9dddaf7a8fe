// The one exception of the project. A library throws it and never prints or exits; a program prints
// what() as one line and exits with the kind's value.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace xf {

// The value is the exit code of a program that ends with it.
enum class ErrorKind {
  failure = 1,    // a run-time failure, a check that failed, a bug
  usage = 2,      // an option, a key, a value, sizes that do not fit together
  data = 3,       // an input file that is missing, broken or unequal
  diverged = 4,   // NaN or infinity that would not go away
  resources = 5,  // memory, disk
};

class Error : public std::runtime_error {
 public:
  // what() ends at the first zero byte, and a message may quote the bytes of any file: zeros are
  // written out.
  Error(ErrorKind kind, const std::string& what);
  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

// What fail() does once its arguments have no types any more, so that a call compiles to little.
[[noreturn]] void throw_formatted(ErrorKind kind, fmt::string_view format, fmt::format_args arguments);

// fail(ErrorKind::data, "{}:{}: invalid UTF-8; mend or remove the line", path, line)
template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw_formatted(kind, format, fmt::make_format_args(args...));
}

}  // namespace xf

// A precondition of a public function. The message names op, argument, expected and got.
#define XF_CHECK(condition, ...)                                         \
  do {                                                                   \
    if (!(condition)) ::xf::fail(::xf::ErrorKind::failure, __VA_ARGS__); \
  } while (false)
