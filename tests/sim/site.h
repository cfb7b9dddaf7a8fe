// A place in the source: of a barrier, a wait, a collective, a shared array.
#pragma once

#include <cstring>
#include <string>

#include "tests/sim/settings.h"

namespace xf::sim {

struct Site {
  const char* file = nullptr;
  int line = 0;
};

inline bool same(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}
std::string to_string(Site site);  // "softmax.cu:37"

// Every barrier and wait asks when it is reached: notes the site for XF_SIM_LIST, and is true where
// XF_SIM_SKIP says to leave this one out. `kind`: "__syncthreads", "__syncwarp", "copy_async_wait",
// "stream wait".
bool noted_and_left_out(const char* kind, Site site);
inline bool left_out(const char* kind, Site site) {
  const Settings& s = settings();
  return (s.skip_line != 0 || !s.list.empty()) && noted_and_left_out(kind, site);
}

// The host's wait that follows on this thread stands here; taken by take_wait_site().
void wait_here(Site site);
Site take_wait_site();

}  // namespace xf::sim

#define XF_SIM_HERE \
  ::xf::sim::Site { __builtin_FILE(), __builtin_LINE() }
// A last parameter: filled in with the caller's place.
#define XF_SIM_SITE ::xf::sim::Site site = {__builtin_FILE(), __builtin_LINE()}
