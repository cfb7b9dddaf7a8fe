// Libraries that a CUDA toolkit brings along, loaded when they are needed.
#pragma once

#include <string>

namespace xf {

// `file`: "libcublasLt.so.13". Null: it is in none of the places that toolkit_places() names.
void* open_toolkit_library(const std::string& file);
// For messages: "FILE among the system's libraries, ...".
std::string toolkit_places(const std::string& file);

}  // namespace xf
