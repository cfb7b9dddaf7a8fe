// What is wrong with a line that somebody writes while others wait for its answer.
#pragma once

#include "core/error.h"
#include "tools/console/message.h"

namespace xf::tools {

// Does `work`, all that one line asks for, and whether it came to its end. In a `conversation`
// Error data is told, and the next line may come; else it goes on.
template <typename Work>
bool answered(bool conversation, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (!conversation || error.kind() != ErrorKind::data) throw;
    tell("error: {}", error.what());
    return false;
  }
}

}  // namespace xf::tools
