// What an action that must fail says, with the exit code in front: "3: train.en:2: invalid UTF-8
// ...".
#pragma once

#include <string>

#include "core/error.h"

namespace xf::tests {

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return std::to_string(error.exit_code()) + ": " + error.what();
  }
  return "no error";
}

}  // namespace xf::tests
