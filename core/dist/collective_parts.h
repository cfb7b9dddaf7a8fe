// What core/dist/collective.cpp, sums and copies, and core/dist/collective_end.cpp, waiting and its
// ends, share.
#pragma once

#include <signal.h>

#include <cerrno>

#include "core/dist/collective.h"

namespace xf {

// What overtakes messages.
struct Collective::Note {
  enum class Kind : int32_t {
    stop,    // a signal, `value`, asked for it
    failed,  // an Error of kind `value`
    works,   // the sender is at long work
    waits,   // the sender is there, and has run out of time
    over,    // what is to be said has been said
  } kind = Kind::over;
  int32_t value = 0;
  int64_t exchanges = 0;  // that the sender has done
  int32_t sender = 0;
  char text[Link::kNoteBytes - 24] = {};
};

struct Collective::Wait {
  Link::Message message;
  int peer;
  bool receives = false;
};

inline bool runs_here(int64_t process) { return kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH; }

}  // namespace xf
