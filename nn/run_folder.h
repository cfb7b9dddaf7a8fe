// The checkpoints of one training run, as its only trainer sees them:
//   RUN/checkpoints/update-NNNNNN/  scheduled saves; the newest two can be resumed, older ones hold the model
//   RUN/checkpoints/interrupted/    the save a signal asked for; in force until the next scheduled one
//   RUN/averaged/                   a model: the mean of the last scheduled saves
//   RUN/latest, RUN/best            relative symlinks to checkpoints
//   RUN/lock                        host and pid of the trainer
// At every instant, a kill -9 included, the newest whole checkpoint is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nn/checkpoint.h"

namespace xf::nn {

class RunFolder {
 public:
  // How many scheduled saves are kept, and how many the average is over.
  static constexpr int64_t kKeepLast = 10;
  using Warn = std::function<void(const std::string&)>;

  // Makes the folder where it is missing, locks it for the life of this object, removes what a killed save
  // left. Error usage if another trainer has it, resources if it cannot be written. `warn` gets what a user
  // should read.
  explicit RunFolder(std::string path, Warn warn, int64_t keep_last = kKeepLast);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // Saves, moves `latest` and removes what is no longer kept: never the best, never what the average needs.
  // Error resources leaves the earlier checkpoints as they were, so that the trainer may try again at its
  // next save.
  void save(const Checkpoint& checkpoint);
  // The same on a signal's behalf. It takes no part in averages, so a run that was stopped ends like one that
  // was not.
  void save_interrupted(const Checkpoint& checkpoint);

  // The one with the most updates that is whole; a damaged one is warned about, by name, and passed over.
  // Nothing if nothing was saved yet; Error data if nothing that was saved is whole.
  std::optional<Checkpoint> load_latest() const;

  // `update` is a scheduled save. To be called again after load_latest(): a kill may have come before it.
  void mark_best(int64_t update);

  // Writes `averaged`: f32 of the f64 mean of the last `keep_last` scheduled saves (fewer if there are
  // fewer), added oldest first. A damaged one is warned about and left out.
  void write_average();
  bool has_average() const;

  // Updates of the scheduled saves, ascending.
  std::vector<int64_t> scheduled() const;
  const std::string& path() const { return path_; }

 private:
  void lock();
  void remove_leftovers() const;
  void prune() const;
  void point(const std::string& link, const std::string& target) const;
  std::string folder_of(int64_t update) const;

  std::string path_;
  Warn warn_;
  int64_t keep_last_;
  int lock_ = -1;
};

// The folder of the model to translate with: `path` itself if it holds one, else of a run the averaged model,
// else the best, else the latest. Error data if there is none.
std::string find_model_folder(const std::string& path);

}  // namespace xf::nn
