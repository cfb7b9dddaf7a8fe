// From an address in the program to its name and line, by binutils' addr2line. Slow, remembered,
// for messages only.
#pragma once

#include <string>

namespace xf::sim {

std::string function_at(const void* address);  // "softmax_rows<float>"; without debug information
                                               // "kernel"
std::string line_at(const void* address);      // "softmax.cu:37", the innermost of inlined calls

}  // namespace xf::sim
