#include "nn/checkpoint/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/file_writer.h"
#include "core/folder_entries.h"
#include "core/folder_writer.h"
#include "core/guarded_open.h"
#include "nn/checkpoint/average.h"

namespace xf::nn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kInterrupted = "interrupted";
constexpr const char* kAveraged = "averaged";
constexpr const char* kCrash = "crash";
constexpr const char* kLatest = "latest";
constexpr const char* kBest = "best";
constexpr const char* kTemporary = ".tmp";
constexpr const char* kOneBefore = "going back to the previous one";
constexpr std::string_view kUpdatePrefix = "update-";
constexpr size_t kResumable =
    2;  // checkpoints with the optimiser's state, which is twice the size of the model

std::string name_of(int64_t update) { return fmt::format("{}{:06}", kUpdatePrefix, update); }

std::optional<int64_t> update_in(const std::string& name) {
  if (name.compare(0, kUpdatePrefix.size(), kUpdatePrefix) != 0) return {};
  int64_t update = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kUpdatePrefix.size(), end, update);
  if (error != std::errc() || rest != end) return {};
  return update;
}

// Renamed first, so that it is never seen half removed. What cannot be removed now goes at the next
// start.
void remove_folder(const std::string& folder) {
  std::error_code ignored;
  const std::string doomed = folder + kTemporary;
  fs::remove_all(doomed, ignored);
  fs::rename(folder, doomed, ignored);
  fs::remove_all(doomed, ignored);
}

std::string lock_file(const std::string& path) { return path + "/lock"; }

// "pid 4711 on host": whoever has the lock, or was killed with it; empty after an end in order.
std::string owner_in(const Descriptor& lock) {
  std::array<char, HOST_NAME_MAX + 40> text{};
  const ssize_t size = ::pread(lock.number(), text.data(), text.size(), 0);
  return {text.data(), static_cast<size_t>(std::max<ssize_t>(size, 0))};
}

bool holds_model(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / "model.safetensors", none);
}

std::string folder_of_save(const std::string& run, int64_t update) {
  return run + "/" + kCheckpoints + "/" + name_of(update);
}

bool is_checkpoint(const fs::directory_entry& entry) {
  std::error_code none;
  const std::string name = entry.path().filename().string();
  return (name == kInterrupted || update_in(name)) && fs::is_directory(entry.symlink_status(none));
}

// What a trainer makes of a large text before it begins (tools/app/training_text.h), or what is
// left of that: made again.
bool is_prepared_text(const fs::directory_entry& entry) {
  const fs::path& path = entry.path();
  return path.extension() == ".corpus" ||
         (path.extension() == ".tmp" && path.filename().string().starts_with(".xformer-"));
}

}  // namespace

RunContents run_contents(const std::string& path) {
  std::error_code none;
  if (!fs::is_directory(path, none)) return RunContents::nothing;
  if (std::ranges::all_of(entries_of(path), is_prepared_text)) return RunContents::nothing;
  const fs::path checkpoints = fs::path(path) / kCheckpoints;
  if (std::ranges::any_of(entries_of(checkpoints), is_checkpoint)) return RunContents::checkpoints;
  for (const char* name : {kAveraged, kBest, kLatest}) {
    if (holds_model(fs::path(path) / name)) return RunContents::model;
  }
  const bool begun = fs::is_directory(checkpoints, none) && fs::exists(lock_file(path), none);
  return begun ? RunContents::unsaved : RunContents::others;
}

RunFolder::RunFolder(std::string path, Warn warn, int64_t keep_last)
    : path_(std::move(path)), warn_(std::move(warn)), keep_last_(keep_last) {
  if (keep_last_ < 1) fail(ErrorKind::usage, "keep-last must be at least 1, got {}", keep_last_);
  refuse_planted(path_);
  const fs::path checkpoints = fs::path(path_) / kCheckpoints;
  std::error_code error;
  if (fs::is_symlink(checkpoints, error)) {
    fail(ErrorKind::resources,
         "{}: is a link, and a run removes checkpoints only in its own folder; move its target here, or link "
         "to the whole run folder",
         checkpoints.string());
  }
  fs::create_directories(checkpoints, error);
  if (error) {
    fail(ErrorKind::resources, "{}: cannot make the run folder: {}; choose one you may write to", path_,
         error.message());
  }
  lock();
  remove_leftovers();
}

RunFolder::~RunFolder() {
  // The file stays: unlinking it could take it from a trainer that has just opened it. Empty means
  // "ended in order".
  if (::ftruncate(lock_.number(), 0) != 0)
    warn_(fmt::format("{}/lock: cannot clear: {}", path_, std::strerror(errno)));
}

// The kernel holds the lock and lets go of it however the process ends, so a lock cannot be stale;
// the text is for people.
void RunFolder::lock() {
  const std::string file = lock_file(path_);
  lock_ = open_part(file, O_RDWR);
  const std::string owner = owner_in(lock_);
  const bool is_locked = ::flock(lock_.number(), LOCK_EX | LOCK_NB) == 0;
  if (!is_locked && errno != EWOULDBLOCK) {
    warn_(fmt::format("{}: cannot be locked: {}; make sure that no other trainer uses this folder", file,
                      std::strerror(errno)));
  } else if (!is_locked) {
    fail(ErrorKind::usage, "{}: another trainer ({}) uses this folder; wait for it or choose another -m",
         path_, owner);
  }
  if (!owner.empty())
    warn_(fmt::format("{}: the last trainer ({}) was killed; its lock is taken over", path_, owner));
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string self = fmt::format("pid {} on {}", ::getpid(), host.data());
  if (::ftruncate(lock_.number(), 0) != 0 || ::pwrite(lock_.number(), self.data(), self.size(), 0) < 0) {
    warn_(fmt::format("{}: cannot write: {}", file, std::strerror(errno)));
  }
}

// A kill in between leaves a run to go on with, or one that has not saved: the newest save goes
// last.
void RunFolder::clear() {
  const fs::path run(path_);
  std::error_code none;
  for (const char* name : {kBest, kLatest, kAveraged, kCrash}) {
    if (fs::is_symlink(run / name, none)) {
      fs::remove(run / name, none);
    } else if (holds_model(run / name)) {  // `best` and `latest` of a copy that followed links (cp
                                           // -rL)
      remove_folder(path_ + "/" + name);
    }
  }
  for (const int64_t update : scheduled()) remove_folder(folder_of(update));
  remove_folder(path_ + "/" + kCheckpoints + "/" + kInterrupted);
  if (run_contents(path_) == RunContents::checkpoints)
    fail(ErrorKind::resources, "{}: cannot remove the old run's checkpoints; choose another run folder",
         path_);
}

void RunFolder::remove_leftovers() const {
  remove_abandoned(lock_file(path_));
  std::error_code ignored;
  for (const char* name : {kLatest, kBest})
    fs::remove_all(fs::path(path_) / (std::string(name) + kTemporary), ignored);
  std::set<std::string> begun = {path_ + "/" + kAveraged, path_ + "/" + kCrash};
  for (const auto& entry : entries_of(fs::path(path_) / kCheckpoints)) {
    fs::path name = entry.path();
    if (name.extension() != kTemporary) continue;
    name.replace_extension();
    begun.insert(name.extension() == ".old" ? name.replace_extension().string() : name.string());
  }
  for (const std::string& folder : begun) remove_leftovers_of(folder);
}

std::string RunFolder::folder_of(int64_t update) const { return folder_of_save(path_, update); }

std::vector<int64_t> RunFolder::scheduled() const {
  std::vector<int64_t> updates;
  for (const Save& save : scheduled_saves(path_)) updates.push_back(save.update);
  return updates;
}

// In place of a link, too: what it leads to is not the run's.
void RunFolder::write(const std::string& folder, const Checkpoint& checkpoint) const {
  std::error_code none;
  if (fs::is_symlink(folder, none)) fs::remove(folder, none);
  write_checkpoint(folder, checkpoint);
}

void RunFolder::save(const Checkpoint& checkpoint, int64_t last_stable_update) {
  write(folder_of(checkpoint.update), checkpoint);
  point(kLatest, fmt::format("{}/{}", kCheckpoints, name_of(checkpoint.update)));
  remove_folder(path_ + "/" + kCheckpoints + "/" + kInterrupted);
  remove_later_than(checkpoint.update);
  // of less training
  if (holds_model(path_ + "/" + kAveraged)) remove_folder(path_ + "/" + kAveraged);
  prune(last_stable_update);
}

void RunFolder::save_interrupted(const Checkpoint& checkpoint) {
  const std::string name = fmt::format("{}/{}", kCheckpoints, kInterrupted);
  write(path_ + "/" + name, checkpoint);
  point(kLatest, name);
  remove_later_than(checkpoint.update);
}

void RunFolder::unschedule(int64_t update) const {
  const std::string name = fmt::format("{}/{}", kCheckpoints, kInterrupted);
  remove_folder(path_ + "/" + name);
  std::error_code error, none;
  fs::rename(folder_of(update), path_ + "/" + name, error);
  if (error) fail(ErrorKind::resources, "{}: cannot rename: {}", folder_of(update), error.message());
  point(kLatest, name);
  if (!holds_model(path_ + "/" + kBest)) fs::remove(fs::path(path_) / kBest, none);
}

// Training went back behind such saves, for they were damaged or it was asked to, and has taken
// another way.
void RunFolder::remove_later_than(int64_t update) const {
  for (const int64_t saved : scheduled()) {
    if (saved > update) remove_folder(folder_of(saved));
  }
}

void RunFolder::save_crashed(const Checkpoint& checkpoint) { write(path_ + "/" + kCrash, checkpoint); }

std::optional<Checkpoint> RunFolder::roll_back(int64_t update) {
  std::vector<int64_t> earlier = scheduled();
  std::erase_if(earlier, [&](int64_t saved) {
    return saved > update || !fs::exists(folder_of(saved) + "/optimizer.safetensors");
  });
  for (; !earlier.empty(); earlier.pop_back()) {
    std::optional<Checkpoint> found = read_whole(name_of(earlier.back()));
    if (!found) continue;
    point(kLatest, fmt::format("{}/{}", kCheckpoints, name_of(earlier.back())));
    remove_later_than(earlier.back());
    return found;
  }
  return {};
}

void RunFolder::prune(int64_t last_stable_update) const {
  std::error_code ignored;
  const std::vector<int64_t> updates = scheduled();
  const size_t kept = std::max(static_cast<size_t>(keep_last_), kResumable);
  const auto behind = std::ranges::upper_bound(updates, last_stable_update);
  const int64_t good = behind == updates.begin() ? 0 : *std::prev(behind);
  const std::string best = fs::read_symlink(fs::path(path_) / kBest, ignored).filename().string();
  for (size_t i = 0; i < updates.size(); ++i) {
    const size_t age = updates.size() - 1 - i;
    const std::string folder = folder_of(updates[i]);
    if (updates[i] == good) continue;
    const bool among_best =
        name_of(updates[i]) == best || std::ranges::find(runners_up_, updates[i]) != runners_up_.end();
    if (age >= kept && !among_best) {
      remove_folder(folder);
    } else if (age >= kResumable) {
      fs::remove(folder + "/optimizer.safetensors", ignored);
    }
  }
}

void RunFolder::point(const std::string& link, const std::string& target) const {
  const std::string path = path_ + "/" + link;
  const std::string temporary = path + kTemporary;
  std::error_code none;
  if (fs::is_directory(fs::symlink_status(path, none)))
    remove_folder(path);  // of a copy that followed links (cp -rL)
  ::unlink(temporary.c_str());
  if (::symlink(target.c_str(), temporary.c_str()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    fail(ErrorKind::resources, "{}: cannot point it to {}: {}", path, target, std::strerror(errno));
  }
  sync_folder(path_);
}

void RunFolder::mark_best(int64_t update, const std::vector<int64_t>& runners_up) {
  XF_CHECK(fs::is_directory(folder_of(update)), "{}: not saved, so it cannot be the best", folder_of(update));
  runners_up_ = runners_up;
  point(kBest, fmt::format("{}/{}", kCheckpoints, name_of(update)));
}

void RunFolder::pass_over(const Error& damage, const char* instead) const {
  if (damage.kind() != ErrorKind::data || dynamic_cast<const NewerVersion*>(&damage)) throw damage;
  const std::string what = damage.what();  // "PATH: WHY; ADVICE", and the advice is not needed here
  warn_(fmt::format("{}; {}", what.substr(0, what.rfind("; ")), instead));
}

std::optional<Checkpoint> RunFolder::read_whole(const std::string& name) const {
  try {
    return read_checkpoint(path_ + "/" + kCheckpoints + "/" + name);
  } catch (const Error& error) {
    pass_over(error, kOneBefore);
    return {};
  }
}

std::optional<Checkpoint> RunFolder::load_latest() const {
  // Of equals, the interrupted one: it was written after the scheduled one. (update, is
  // interrupted), newest first.
  std::set<std::pair<int64_t, bool>, std::greater<>> candidates;
  for (const int64_t update : scheduled()) candidates.insert({update, false});
  const std::string interrupted = path_ + "/" + kCheckpoints + "/" + kInterrupted;
  const bool has_interrupted = fs::is_directory(interrupted);
  try {
    if (has_interrupted) candidates.insert({read_update(interrupted), true});
  } catch (const Error& error) {
    pass_over(error, kOneBefore);
  }
  for (const auto& [update, is_interrupted] : candidates) {
    const std::string name = is_interrupted ? kInterrupted : name_of(update);
    std::optional<Checkpoint> found = read_whole(name);
    if (!found) continue;
    const std::string target = fmt::format("{}/{}", kCheckpoints, name);
    std::error_code none;
    if (fs::read_symlink(fs::path(path_) / kLatest, none) != target) point(kLatest, target);
    return found;
  }
  if (has_interrupted || !candidates.empty())
    fail(ErrorKind::data, "{}: all of its checkpoints are damaged; choose a new run folder", path_);
  return {};
}

Checkpoint RunFolder::average() const {
  std::vector<int64_t> updates;
  for (const Save& save : last_saves(path_, keep_last_)) updates.push_back(save.update);
  return average(updates);
}

Checkpoint RunFolder::average(const std::vector<int64_t>& updates) const {
  if (updates.empty()) fail(ErrorKind::data, "{}: no checkpoint to average", path_);
  Average average;
  for (const int64_t update : updates) {
    std::optional<Checkpoint> whole;
    try {
      whole = read_model(folder_of(update));
    } catch (const Error& error) {
      pass_over(error, "the average leaves it out");
      continue;
    }
    average.add(std::move(*whole), folder_of(update));
  }
  if (average.empty())
    fail(ErrorKind::data, "{}: all of its checkpoints are damaged; nothing to average", path_);
  return average.mean();
}

bool RunFolder::holds(int64_t update) const {
  if (!fs::is_directory(folder_of(update))) return false;
  try {
    read_model(folder_of(update));
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    warn_(fmt::format("{}; it is not used", error.what()));
    return false;
  }
}

void RunFolder::write_average(const Checkpoint& average) { write(path_ + "/" + kAveraged, average); }

std::optional<Checkpoint> RunFolder::load_average() const {
  const std::string folder = path_ + "/" + kAveraged;
  if (!fs::is_directory(folder)) return {};
  try {
    return read_model(folder);
  } catch (const Error& error) {
    pass_over(error, "the average is computed again");
    return {};
  }
}

std::vector<Save> scheduled_saves(const std::string& run) {
  std::vector<Save> saves;
  for (const auto& entry : entries_of(fs::path(run) / kCheckpoints)) {
    const auto update = update_in(entry.path().filename().string());
    if (update && is_checkpoint(entry)) saves.push_back({*update, folder_of_save(run, *update)});
  }
  std::ranges::sort(saves, {}, &Save::update);
  return saves;
}

std::vector<Save> last_saves(const std::string& run, int64_t count) {
  std::vector<Save> saves = scheduled_saves(run);
  const size_t kept = std::min(saves.size(), static_cast<size_t>(count));
  return {saves.end() - static_cast<std::ptrdiff_t>(kept), saves.end()};
}

std::string find_model_folder(const std::string& path) {
  if (holds_model(path)) return path;
  for (const char* name : {kAveraged, kBest, kLatest}) {
    const std::string folder = path + "/" + name;
    if (holds_model(folder)) return folder;
  }
  std::error_code unknown;
  fail(ErrorKind::data,
       "{}: no {}; name a run folder, one of its checkpoints, or a folder of another toolkit", path,
       fs::exists(path, unknown) ? "model here" : "such folder");
}

}  // namespace xf::nn
