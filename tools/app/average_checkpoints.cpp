#include "tools/app/average_checkpoints.h"
#include "tools/config/program_options.h"
#include "tools/config/training_options.h"
#include "tools/formats/stored_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/average.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/console/message.h"
#include "tools/console/progress.h"
#include "tools/formats/diff_models.h"
#include "tools/formats/import_model.h"
#include "tools/formats/output_folder.h"
#include "tools/report/run_metrics.h"
#include "tools/setup/read_training_options.h"

namespace xf::tools {

namespace {

namespace fs = std::filesystem;

// What a run measured to choose its best, by update: of the metric that it chose by last.
std::map<int64_t, ScoreRecord> choosing_scores(const std::string& run) {
  MetricsReader reader(run + "/metrics.jsonl");
  std::map<int64_t, ScoreRecord> scores;
  for (const ScoreRecord& record : reader.read().scores) {
    if (record.chooses) scores[record.update] = record;
  }
  if (!scores.empty()) {
    const std::string metric = scores.rbegin()->second.metric;
    std::erase_if(scores, [&](const auto& entry) { return entry.second.metric != metric; });
  }
  return scores;
}

std::vector<nn::Save> best_saves(const std::string& run, size_t count) {
  const std::map<int64_t, ScoreRecord> scores = choosing_scores(run);
  std::vector<nn::Save> saves = nn::scheduled_saves(run);
  std::erase_if(saves, [&](const nn::Save& save) { return !scores.contains(save.update); });
  if (saves.size() < count) {
    fail(ErrorKind::usage,
         "best: {} has {} with a validation score, not {}; "
         "--keep-last and --valid-freq of xformer-train decide",
         run, counted(static_cast<int64_t>(saves.size()), "checkpoint"), count);
  }
  std::ranges::reverse(saves);  // of equals the later one, as training has it
  std::ranges::stable_sort(saves, [&](const nn::Save& a, const nn::Save& b) {
    const ScoreRecord &left = scores.at(a.update), &right = scores.at(b.update);
    return higher_is_better(left.metric) ? left.score > right.score : left.score < right.score;
  });
  saves.resize(count);
  std::ranges::sort(saves, {}, &nn::Save::update);
  return saves;
}

// Those that training took for its average; none where it has not ended, or where they are gone.
std::vector<nn::Save> saves_of_training(const std::string& run) {
  const std::string path = fmt::format("{}/averaged/{}", run, nn::Manifest::kFileName);
  if (std::error_code unknown; !fs::exists(path, unknown)) return {};
  const nn::KeyValues state = nn::parse_manifest(read_regular_file(path), path).state;
  if (!state.has("averaged")) return {};
  const auto updates = state.get<std::vector<int64_t>>("averaged");
  std::vector<nn::Save> saves = nn::scheduled_saves(run);
  std::erase_if(
      saves, [&](const nn::Save& save) { return std::ranges::find(updates, save.update) == updates.end(); });
  return saves.size() == updates.size() ? saves : std::vector<nn::Save>{};
}

std::vector<nn::Save> saves_of_run(const AverageOptions& options) {
  const std::string& run = options.model;
  exchange::refuse_foreign(run);
  const auto there = static_cast<int64_t>(nn::scheduled_saves(run).size());
  if (there == 0) fail(ErrorKind::data, "{}: no checkpoints here; name a run folder of xformer-train", run);
  if (options.best) return best_saves(run, static_cast<size_t>(*options.best));
  if (!options.last) {
    std::vector<nn::Save> chosen = saves_of_training(run);
    if (!chosen.empty()) return chosen;
    const std::string config = nn::training_config_path(run);
    return nn::last_saves(run,
                          training_options_from_toml(read_regular_file(config), config).saving.keep_last);
  }
  const int64_t wanted = *options.last;
  if (there < wanted) {
    fail(ErrorKind::usage, "last: {} has {}, not {}; --keep-last of xformer-train says how many stay", run,
         counted(there, "checkpoint"), wanted);
  }
  return nn::last_saves(run, wanted);
}

// The nearest folder above a checkpoint that has metrics; "" if none has.
std::string run_of(const std::string& checkpoint) {
  std::error_code none;
  for (fs::path path = fs::absolute(checkpoint).lexically_normal(); path.has_relative_path();
       path = path.parent_path()) {
    if (fs::exists(path / "metrics.jsonl", none)) return path.string();
  }
  return "";
}

// "bleu 34.21"; "" where nothing was measured at that update, and of an average, whose update is
// its last save's.
std::string score_of(const std::string& folder, const nn::Checkpoint& checkpoint) {
  const std::string run = run_of(folder);
  if (run.empty() || checkpoint.state.has("averaged")) return "";
  const std::map<int64_t, ScoreRecord> scores = choosing_scores(run);
  const auto found = scores.find(checkpoint.update);
  if (found == scores.end()) return "";
  return found->second.metric + " " + score_text(found->second.metric, found->second.score);
}

// `vocabularies` are those of the first checkpoint.
void check_same_vocabulary(const data::Vocabularies& vocabularies, const nn::Checkpoint& checkpoint,
                           const std::string& folder, const std::string& first) {
  if (folder == first) return check_vocabularies(vocabularies, checkpoint.metadata, folder);
  if (!are_of_model(vocabularies, checkpoint.metadata))
    fail(ErrorKind::data, "{} and {} have different vocabularies; average checkpoints of one model", folder,
         first);
}

// The mean of two models that compute otherwise is none; and a save that is named twice would count
// twice.
void check_belongs(const std::vector<std::string>& folders, size_t i, const nn::Checkpoint& first,
                   const nn::Checkpoint& checkpoint) {
  for (size_t before = 0; before < i; ++before) {
    std::error_code none;
    if (fs::equivalent(folders[before], folders[i], none))
      fail(ErrorKind::usage, "{} is {}, and would count twice; name it once", folders[i], folders[before]);
  }
  const auto changes = setting_differences(first, folders.front(), checkpoint, folders[i]);
  if (changes.empty()) return;
  fail(ErrorKind::data, "{} is another model than {}: {} is {}, not {}; average checkpoints of one model",
       folders[i], folders.front(), changes.front().name, changes.front().now, changes.front().before);
}

}  // namespace

std::vector<std::string> chosen_checkpoints(const AverageOptions& options) {
  const std::vector<std::string>& named = options.checkpoints;
  std::vector<std::string> folders;
  for (const std::string& path : named) {
    exchange::refuse_foreign(path);
    folders.push_back(nn::find_model_folder(path));
  }
  for (const char* other : {"model", "last", "best"}) {
    if (!named.empty() && options_of(options).at(other).is_set())
      fail(ErrorKind::usage, "--{} selects a run's checkpoints, and {} is named too; leave out one of them",
           other, named.front());
  }
  if (named.size() == 1 && !nn::scheduled_saves(named.front()).empty())
    fail(ErrorKind::usage, "{} is a run; give -m {} to average its checkpoints", named.front(),
         named.front());
  if (!named.empty()) return folders;
  if (options.model.empty())
    fail(ErrorKind::usage,
         "xformer-export average needs --model RUN or checkpoints; see xformer-export average --help");
  if (options.last && options.best)
    fail(ErrorKind::usage, "--last and --best both select checkpoints; leave out one of them");
  for (const nn::Save& save : saves_of_run(options)) folders.push_back(save.folder);
  return folders;
}

void average_checkpoints(const AverageOptions& options) {
  options_of(options).require("output");
  const std::string output = model_output(options.output, options.overwrite);
  const std::vector<std::string> folders = chosen_checkpoints(options);
  const std::string home = data::find_vocabularies(folders.front());
  std::optional<data::Vocabularies> vocabularies;
  if (!home.empty()) vocabularies = data::load_vocabularies(home);
  nn::Average average;
  nn::Checkpoint first;  // its settings
  std::vector<std::string> taken;
  for (size_t i = 0; i < folders.size(); ++i) {
    const std::string& folder = folders[i];
    nn::Checkpoint checkpoint = nn::read_model(folder);
    if (i == 0) {
      first.model_config = checkpoint.model_config;
      first.training_config = checkpoint.training_config;
    }
    check_belongs(folders, i, first, checkpoint);
    if (vocabularies) check_same_vocabulary(*vocabularies, checkpoint, folder, folders.front());
    const std::string score = score_of(folder, checkpoint);
    taken.push_back(fmt::format("update {}  {}{}", grouped(checkpoint.update),
                                score.empty() ? "" : score + "  ", folder));
    average.add(std::move(checkpoint), folder);
  }
  write_model(output, average.mean(), home);
  if (options.quiet) return;
  for (const std::string& line : taken) tell_line(line);
  tell("{}: the mean of {}", output, counted(static_cast<int64_t>(folders.size()), "checkpoint"));
}

}  // namespace xf::tools
