// The checkpoints of one training run, as its only trainer sees them:
//   RUN/checkpoints/update-NNNNNN/  scheduled saves; the newest two can be resumed, older ones hold
//   the model
//   RUN/checkpoints/interrupted/    the save a signal asked for; in force until the next scheduled
//                                   one
//   RUN/averaged/                   a model: the mean of scheduled saves
//   RUN/latest, RUN/best            relative symlinks to checkpoints
//   RUN/lock                        host and pid of the trainer
// At every instant, a kill -9 included, the newest whole checkpoint is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"
#include "nn/checkpoint/checkpoint.h"

namespace xf::nn {

// What a folder holds before a trainer works in it, as far as a run is concerned.
enum class RunContents {
  nothing,      // no such folder, or an empty one; or one with a prepared text
  others,       // things that no run has made
  unsaved,      // a run that has not saved yet: nothing to lose
  checkpoints,  // a run to go on with
  model,        // of a run whose checkpoints are gone
};
RunContents run_contents(const std::string& path);

class RunFolder {
 public:
  // How many scheduled saves are kept, and how many the average is over.
  static constexpr int64_t kKeepLast = 10;
  using Warn = std::function<void(const std::string&)>;

  // Makes the folder where it is missing, locks it for the life of this object, removes what a
  // killed save left. Error usage if another trainer has it, resources if it cannot be written.
  // `warn` gets what a user should read.
  explicit RunFolder(std::string path, Warn warn, int64_t keep_last = kKeepLast);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // Removes what a run consists of and nothing else: its checkpoints, `averaged`, `best` and
  // `latest`.
  void clear();

  // Saves, moves `latest` and removes what is no longer kept: never the best and its runners-up,
  // never what the average needs. An average of before goes, too: it would be used in place of what
  // was trained since. Error resources leaves the earlier checkpoints as they were, so that the
  // trainer may try again at its next save. The last save of at most `last_stable_update` updates
  // stays one to roll back to, however many come after it.
  void save(const Checkpoint& checkpoint, int64_t last_stable_update = 0);
  // The same on a signal's behalf. It takes no part in averages, so a run that was stopped ends
  // like one that was not.
  void save_interrupted(const Checkpoint& checkpoint);

  // A scheduled save that only the end of a run has asked for becomes one that a signal asked for:
  // the run goes on.
  void unschedule(int64_t update) const;

  // Weights of a training that diverged, as `crash`: to look at. No run goes on from them.
  void save_crashed(const Checkpoint& checkpoint);

  // The last scheduled save of at most `update` updates that is whole; the later ones are removed,
  // and `latest` points to it. Nothing, and nothing is removed, if there is none with its
  // optimiser's state.
  std::optional<Checkpoint> roll_back(int64_t update);

  // The one with the most updates that is whole; a damaged one is warned about, by name, and passed
  // over. Points `latest` at it: a kill may have come before that. Nothing if nothing was saved
  // yet; Error data if nothing that was saved is whole.
  std::optional<Checkpoint> load_latest() const;

  // Scheduled saves; `runners_up` are kept besides the best. To be called again after
  // load_latest(): a kill may have come before it.
  void mark_best(int64_t update, const std::vector<int64_t>& runners_up = {});

  // The mean of the last `keep_last` scheduled saves, fewer if there are fewer, or of those of
  // these updates, added oldest first (nn/checkpoint/average.h). A damaged one is warned about and
  // left out. Error data if none is whole.
  Checkpoint average() const;
  Checkpoint average(const std::vector<int64_t>& updates) const;
  // Whether this scheduled save is there and whole; a damaged one is warned about.
  bool holds(int64_t update) const;
  // `averaged` is written last of all that a run does: where it is, of the latest update, the run
  // has ended.
  void write_average(const Checkpoint& average);
  // Nothing if there is none, or (warned about) a damaged one.
  std::optional<Checkpoint> load_average() const;

  // Updates of the scheduled saves, ascending.
  std::vector<int64_t> scheduled() const;
  const std::string& path() const { return path_; }

 private:
  void lock();
  void remove_leftovers() const;
  void write(const std::string& folder, const Checkpoint& checkpoint) const;
  void remove_later_than(int64_t update) const;
  void prune(int64_t last_stable_update) const;
  // warns; throws what is no damage
  void pass_over(const Error& damage, const char* instead) const;
  std::optional<Checkpoint> read_whole(const std::string& name) const;  // nothing if it is damaged
  void point(const std::string& link, const std::string& target) const;
  std::string folder_of(int64_t update) const;

  std::string path_;
  Warn warn_;
  int64_t keep_last_;
  std::vector<int64_t> runners_up_;
  Descriptor lock_;
};

// A run's scheduled saves by ascending update, and the last `count` of them, fewer if there are
// fewer; none where there is no run. These only read, and need no lock: a trainer that works there
// may remove a save a moment later.
struct Save {
  int64_t update = 0;
  std::string folder;
};
std::vector<Save> scheduled_saves(const std::string& run);
std::vector<Save> last_saves(const std::string& run, int64_t count);

// The folder of the model to translate with: `path` itself if it holds one, else of a run the
// averaged model, else the best, else the latest. Error data if there is none.
std::string find_model_folder(const std::string& path);

}  // namespace xf::nn
