#include "tests/sim/site.h"

#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

namespace xf::sim {

namespace {

thread_local Site next_wait;

// Written at exit, also after a failure that unwinds to main.
struct Reached {
  std::set<std::pair<std::string, std::string>> sites;  // kind, place
  ~Reached() {
    std::FILE* file = sites.empty() ? nullptr : std::fopen(settings().list.c_str(), "a");
    if (!file) return;
    for (const auto& [kind, place] : sites) std::fprintf(file, "%s %s\n", kind.c_str(), place.c_str());
    std::fclose(file);
  }
};

void note(const char* kind, Site site) {
  static Reached reached;
  static Site last;
  if (last.line == site.line && last.file == site.file) return;
  last = site;
  reached.sites.emplace(kind, std::string(site.file) + ":" + std::to_string(site.line));
}

// `end` is the path's last components.
bool ends_with(std::string_view path, std::string_view end) {
  if (path.size() < end.size() || path.substr(path.size() - end.size()) != end) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

}  // namespace

std::string to_string(Site site) {
  if (!site.file) return "?";
  const char* slash = std::strrchr(site.file, '/');
  return std::string(slash ? slash + 1 : site.file) + ":" + std::to_string(site.line);
}

bool noted_and_left_out(const char* kind, Site site) {
  const Settings& s = settings();
  if (!s.list.empty() && site.file) note(kind, site);
  return site.file && s.skip_line == site.line && ends_with(site.file, s.skip_file);
}

void wait_here(Site site) { next_wait = site; }

Site take_wait_site() { return std::exchange(next_wait, Site{}); }

}  // namespace xf::sim
