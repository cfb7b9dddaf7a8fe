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

std::atomic<int> stop_signal = 0;
std::atomic<bool> save_wanted = false;

void on_wake(int) {}

// The wake is repeated: the one before may have come just ahead of the call that it was to interrupt.
void take_signals(sigset_t signals, pthread_t watched) {
  for (;;) {
    const timespec* const patience = stop_signal != 0 ? &kBetweenWakes : nullptr;
    const int signal = sigtimedwait(&signals, nullptr, patience);
    if (signal == SIGUSR1) {
      save_wanted = true;
    } else if (signal > 0 && stop_signal.exchange(signal) != 0) {
      std::quick_exit(128 + signal);
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

void watch_signals() {
  struct sigaction wake = {};
  wake.sa_handler = on_wake;  // without SA_RESTART: the call ends with EINTR
  sigaction(kWake, &wake, nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, signal);
  sigset_t blocked = signals;
  sigaddset(&blocked, kWake);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  std::thread(take_signals, signals, pthread_self()).detach();
}

void check_stop() {
  if (const int signal = stop_signal; signal != 0) throw Stopped(signal);
}

bool take_save_request() { return save_wanted.exchange(false); }

Interruptible::Interruptible() {
  const sigset_t wake = only_wake();
  pthread_sigmask(SIG_UNBLOCK, &wake, &before_);
}

Interruptible::~Interruptible() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace xf
