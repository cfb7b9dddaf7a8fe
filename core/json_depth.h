// A guard in front of the JSON library, which parses any depth but copies and prints by recursion:
// a file of 100,000 opening brackets would overflow the stack.
#pragma once

#include <string_view>

namespace xf {

// Whether arrays and objects lie deeper in each other than anything that this project writes.
bool is_too_deep_json(std::string_view text);

}  // namespace xf
