#include "tests/sim/symbols.h"

#include <fmt/core.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <utility>

namespace xf::sim {

namespace {

// addr2line knows the addresses before the loader moved the program.
uintptr_t load_address() {
  uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        *static_cast<uintptr_t*>(result) = info->dlpi_addr;
        return 1;  // the first one is the program
      },
      &base);
  return base;
}

std::pair<std::string, std::string> look_up(const void* address) {
  static const uintptr_t base = load_address();
  const std::string command = fmt::format("addr2line -f -C -i -e /proc/{}/exe {:#x} 2>/dev/null", getpid(),
                                          reinterpret_cast<uintptr_t>(address) - base);
  std::pair<std::string, std::string> found;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return found;
  char text[4096];
  for (std::string* line : {&found.first, &found.second}) {
    if (!std::fgets(text, sizeof text, pipe)) break;
    *line = text;
    while (!line->empty() && line->back() == '\n') line->pop_back();
  }
  pclose(pipe);
  return found;
}

const std::pair<std::string, std::string>& at(const void* address) {
  static std::map<const void*, std::pair<std::string, std::string>> known;
  auto [it, is_new] = known.try_emplace(address);
  if (is_new) it->second = look_up(address);
  return it->second;
}

}  // namespace

// Without return type, namespaces and parameters.
std::string function_at(const void* address) {
  std::string name = at(address).first;
  if (name.empty() || name == "??") return "kernel";
  int depth = 0;
  size_t begin = 0, end = name.size();
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth > 0) continue;
    if (c == ' ' || (c == ':' && i > 0 && name[i - 1] == ':')) begin = i + 1;
    if (c == '(' && name.compare(i, 21, "(anonymous namespace)") == 0) {
      i += 20;
    } else if (c == '(') {
      end = i;
      break;
    }
  }
  return name.substr(begin, end - begin);
}

std::string line_at(const void* address) {
  std::string line = at(address).second;
  line = line.substr(line.rfind('/') + 1);
  return line.substr(0, line.find(' '));
}

}  // namespace xf::sim
