// The process in which a C kernel of somebody else's runs: it loads a shared library and answers
// the lines of bench/external/kernel_process.h.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace xf::bench {

// Until its input ends. Error failure where the library cannot be loaded.
void host_kernel(const std::string& library, std::istream& requests, std::ostream& answers);

// The functions that a shared library exports, by its dynamic symbol table.
std::vector<std::string> symbols_of(void* handle);

}  // namespace xf::bench
