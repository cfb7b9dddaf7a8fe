#include "core/stop.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <thread>

namespace xf {

namespace {

constexpr int kWake = SIGURG;  // ignored wherever nobody has asked for it
constexpr timespec kBetweenWakes = {0, 50'000'000};

std::atomic<OnStop> on_stop = OnStop::note;
std::atomic<int> stop_signal = 0;
std::atomic<bool> save_wanted = false;

void on_wake(int) {}

// Somebody's own wish. The others come in numbers without meaning more by it: a shell and the
// kernel both send SIGHUP when a terminal goes, SIGXCPU comes every second.
bool is_from_a_person(int signal) { return signal == SIGTERM || signal == SIGINT; }

bool is_ignored(int signal) {
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// The wake is repeated: the one before may have come just ahead of the call that it was to
// interrupt.
void take_signals(sigset_t signals, pthread_t watched) {
  bool was_asked = false;  // by a person
  for (;;) {
    const timespec* const patience = stop_signal != 0 ? &kBetweenWakes : nullptr;
    const int signal = sigtimedwait(&signals, nullptr, patience);
    if (signal == SIGUSR1) {
      save_wanted = true;
    } else if (signal > 0) {
      const bool by_a_person = is_from_a_person(signal);
      if (on_stop == OnStop::end || (was_asked && by_a_person)) std::quick_exit(128 + signal);
      was_asked = was_asked || by_a_person;
      ask_stop(signal);
    }
    if (stop_signal != 0) pthread_kill(watched, kWake);
  }
}

sigset_t only_wake() {
  sigset_t wake;
  sigemptyset(&wake);
  sigaddset(&wake, kWake);
  return wake;
}

}  // namespace

void watch_signals(OnStop first) {
  on_stop = first;
  struct sigaction wake = {};
  wake.sa_handler = on_wake;  // without SA_RESTART: the call ends with EINTR
  sigaction(kWake, &wake, nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  // Blocked, an ignored signal would be kept for the thread all the same.
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1}) {
    if (!is_ignored(signal)) sigaddset(&signals, signal);
  }
  sigset_t blocked = signals;
  sigaddset(&blocked, kWake);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  std::thread(take_signals, signals, pthread_self()).detach();
}

void note_stops() { on_stop = OnStop::note; }

int stop_asked() { return stop_signal; }

void ask_stop(int signal) {
  int none = 0;
  stop_signal.compare_exchange_strong(none, signal);
}

void forget_stop() { stop_signal = 0; }

void check_stop() {
  if (const int signal = stop_asked(); signal != 0) throw Stopped(signal);
}

bool take_save_request() { return save_wanted.exchange(false); }

Interruptible::Interruptible() {
  const sigset_t wake = only_wake();
  pthread_sigmask(SIG_UNBLOCK, &wake, &before_);
}

Interruptible::~Interruptible() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace xf
