#include "core/stop.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace xf {

namespace {

std::atomic<int> stop_signal = 0;
std::atomic<bool> save_wanted = false;

void take_signals(sigset_t signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal == SIGUSR1) {
      save_wanted = true;
    } else if (stop_signal.exchange(signal) != 0) {
      _exit(128 + signal);
    }
  }
}

}  // namespace

void watch_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(take_signals, signals).detach();
}

void check_stop() {
  if (const int signal = stop_signal; signal != 0) throw Stopped(signal);
}

bool take_save_request() { return save_wanted.exchange(false); }

}  // namespace xf
