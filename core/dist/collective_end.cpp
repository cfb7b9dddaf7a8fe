#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>

#include "core/dist/collective_parts.h"
#include "core/stop.h"

namespace xf {

namespace {

constexpr double kGrace = 1;         // s, for those who wait to say so
constexpr double kParting = 10;      // s
constexpr double kPatience = 1e-3;   // s, then a wait gives the processor away
constexpr double kLookEvery = 0.05;  // s

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Ranks may share a processor: who waits lets the other one work.
void rest(double waited) {
  if (waited < kPatience) {
    sched_yield();
  } else {
    const timespec pause = {0, 50'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

std::string Collective::not_answered() const {
  return fmt::format("has not answered for {:g} s (--collective-timeout)", timeout_);
}

void Collective::wait(std::vector<Wait>& waits) {
  double moved = now(), looked = moved;
  for (;;) {
    std::set<int> unreachable, unequal;
    const size_t before = waits.size();
    std::erase_if(waits, [&](const Wait& wait) {
      const Link::Progress progress = link_->progress(wait.message);
      if (progress == Link::Progress::failed) unreachable.insert(wait.peer);
      if (progress == Link::Progress::other_size) unequal.insert(wait.peer);
      return progress == Link::Progress::done || progress == Link::Progress::other_size;
    });
    if (!unequal.empty()) fail_unequal(*unequal.begin());
    if (!unreachable.empty()) give_up(unreachable, "cannot be reached");
    if (waits.empty()) return;
    const double time = now();
    if (waits.size() < before) moved = time;
    if (time - looked > kLookEvery) {
      looked = time;
      look_after(waits);
    }
    std::set<int> late;
    for (const Wait& wait : waits) {
      const double last = std::max(moved, peers_[static_cast<size_t>(wait.peer)].worked);
      if (time - last > timeout_) late.insert(wait.peer);
    }
    if (!late.empty()) give_up(late, not_answered());
    rest(time - moved);
  }
}

// All have begun as equals (tools/app/equal_ranks.h): a mistake in the program, or another program.
// What is known better goes before.
void Collective::fail_unequal(int rank) {
  poll();
  fail(ErrorKind::failure,
       "{} does not match {}: its message has another size; start the same program on all ranks",
       name_of(rank), name_of(rank_));
}

// An exception is to end what has the messages' memory, and nothing may be written there any more.
// What has begun to go or to come is waited for, but not for ever: the rank at its other end may
// have died.
void Collective::take_back(std::vector<Wait>& waits) {
  for (const Wait& wait : waits)
    if (wait.receives) link_->cancel(wait.message);
  for (const double begun = now(); !waits.empty() && now() - begun < kGrace; rest(now() - begun)) {
    std::erase_if(waits,
                  [&](const Wait& wait) { return link_->progress(wait.message) != Link::Progress::pending; });
  }
}

// Whether those whom we wait for are there.
void Collective::look_after(const std::vector<Wait>& waits) {
  poll();
  for (const Wait& wait : waits) {
    const Peer& peer = peers_[static_cast<size_t>(wait.peer)];
    if (peer.watched && !runs_here(peer.process)) give_up({wait.peer}, "has ended");
  }
}

// A device waits for all others; which of them have come, it does not tell.
void Collective::look_after_device(double waited) {
  const double time = now();
  if (broken_ || time - looked_ < kLookEvery) return;
  looked_ = time;
  std::vector<Wait> waits;
  std::set<int> others, late;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    waits.push_back({nullptr, r});
    others.insert(r);
    if (std::min(waited, time - peers_[static_cast<size_t>(r)].worked) > timeout_) late.insert(r);
  }
  look_after(waits);
  if (const std::string failure = device_->failure(); !failure.empty())
    give_up(others, fmt::format("cannot be reached from device to device ({})", failure));
  if (!late.empty()) give_up(late, not_answered());
}

// Nothing may wait any more: the end frees memory, and that waits for the device.
void Collective::break_off() {
  broken_ = true;
  if (device_) device_->abort();
}

// ---- what parts of the work end in

void Collective::on_all_ranks(const std::function<void()>& part) {
  if (size_ == 1) return part();
  int signal = 0;
  std::optional<Error> error;
  try {
    part();
  } catch (const Stopped& stopped) {
    signal = stopped.signal();
    Note note{.kind = Note::Kind::stop, .value = signal};
    send_to_all(note);
  } catch (const Error& own) {
    if (broken_) throw;
    error = own;
  } catch (const std::exception& other) {  // memory that ran out, a file that cannot be asked about
    error = Error(ErrorKind::failure, other.what());
  }
  const std::vector<std::string> endings =
      gather(error ? fmt::format("{}{}", error->exit_code(), error->what()) : std::string());
  std::vector<int64_t> signals(static_cast<size_t>(size_));
  signals[static_cast<size_t>(rank_)] = signal;
  sum(std::span(signals));
  for (int r = 0; r < size_; ++r) {
    const std::string& ending = endings[static_cast<size_t>(r)];
    if (ending.empty()) continue;
    throw Error(static_cast<ErrorKind>(ending.front() - '0'),
                r == 0 ? ending.substr(1) : fmt::format("{}: {}", name_of(r), ending.substr(1)));
  }
  for (const int64_t one : signals)
    if (one != 0) throw Stopped(static_cast<int>(one));
}

void Collective::on_rank0(const std::function<void()>& part) {
  on_all_ranks([&] {
    if (is_first()) part();
  });
}

// ---- ranks that are lost

void Collective::send_to_all(const Note& note) {
  Note sent = note;
  sent.sender = rank_;
  sent.exchanges = exchanges_;
  for (int r = 0; r < size_; ++r)
    if (r != rank_) link_->send_note(r, &sent);
}

void Collective::take(const Note& note, int from) {
  switch (note.kind) {
    case Note::Kind::stop: return ask_stop(note.value);
    case Note::Kind::works: peers_[static_cast<size_t>(from)].worked = now(); return;
    case Note::Kind::waits: peers_[static_cast<size_t>(from)].heard = true; return;
    case Note::Kind::over: dismissed_ = true; return;
    case Note::Kind::failed:
      if (!failure_) failure_ = std::make_unique<Note>(note);
  }
}

// A rank that failed behind an exchange has done its part of it: that one ends well.
void Collective::poll() {
  if (size_ == 1) return;
  Note note;
  for (int from = 0; link_->take_note(from, &note);) take(note, from);
  if (broken_ || !failure_ || failure_->exchanges > exchanges_) return;
  break_off();
  throw Error(static_cast<ErrorKind>(failure_->value),
              fmt::format("{}: {}", name_of(failure_->sender), failure_->text));
}

// Who waits in vain says so: those who say nothing are missing.
void Collective::give_up(std::set<int> missing, const std::string& what) {
  send_to_all({.kind = Note::Kind::waits});
  const double begun = now();
  do {
    poll();
    rest(kPatience);
  } while (what != "has ended" && now() - begun < kGrace);
  const std::set<int> all = missing;
  std::erase_if(missing, [&](int r) { return peers_[static_cast<size_t>(r)].heard; });
  if (missing.empty()) missing = all;
  int first = 0;
  while (missing.contains(first)) ++first;
  speaks_ = first == rank_;
  break_off();
  std::vector<std::string> names;
  for (const int r : missing) names.push_back(name_of(r));
  fail(ErrorKind::failure, "{} {}", fmt::join(names, ", "), what);
}

void Collective::heartbeat() {
  const double time = now();
  if (size_ == 1 || time - said_working_ < std::min(1.0, timeout_ / 4)) return;
  said_working_ = time;
  send_to_all({.kind = Note::Kind::works});
}

bool Collective::report_error(const Error& error) {
  if (size_ == 1) return true;
  if (!broken_) {
    break_off();
    Note note{.kind = Note::Kind::failed, .value = error.exit_code()};
    const std::string text = error.what();
    text.copy(note.text, std::min(text.size(), sizeof note.text - 1));
    send_to_all(note);
  }
  return (is_first() || speaks_) && !dismissed_;
}

void Collective::finalize() {
  if (size_ == 1) return;
  if (!broken_) {
    timeout_ = std::min(timeout_, kParting);
    try {
      int64_t none = 0;
      sum(std::span(&none, 1));
      part_from_device();
      return link_->part();
    } catch (const Error&) {
      break_off();
    }
  }
  if (is_first() || speaks_) send_to_all({.kind = Note::Kind::over});
  const bool waits = !is_first() && !speaks_;
  const double begun = now(), limit = waits ? timeout_ : 2 * kLookEvery;
  while (now() - begun < limit && !dismissed_) {
    poll();
    if (waits && peers_[0].watched && !runs_here(peers_[0].process)) break;
    rest(kPatience);
  }
}

}  // namespace xf
