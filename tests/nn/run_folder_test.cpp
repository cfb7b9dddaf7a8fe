#include "nn/checkpoint/run_folder.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/nn/sample_checkpoint.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using tests::error_of;
using tests::sample_checkpoint;

namespace fs = std::filesystem;

namespace {

// A run in a temporary folder, reopened at will, that collects its warnings.
struct Run {
  explicit Run(int64_t keep_last = RunFolder::kKeepLast) : keep(keep_last) { reopen(); }

  void reopen() {
    folder.reset();
    folder = std::make_unique<RunFolder>(
        path, [this](const std::string& text) { warnings.push_back(text); }, keep);
  }
  void save_all(int64_t first, int64_t last) {
    for (int64_t update = first; update <= last; ++update) folder->save(sample_checkpoint(update));
  }
  std::string checkpoint(const std::string& name) const { return path + "/checkpoints/" + name; }
  std::string link(const std::string& name) const { return fs::read_symlink(path + "/" + name).string(); }

  tests::TemporaryFolder home;
  std::string path = home / "run";
  int64_t keep;
  std::vector<std::string> warnings;
  std::unique_ptr<RunFolder> folder;
};

void flip_byte(const std::string& path) {
  std::string bytes = read_file(path);
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 0x10);
  atomic_write(path, bytes);
}

bool is_whole(const Checkpoint& checkpoint) {
  const Checkpoint expected =
      sample_checkpoint(checkpoint.update, checkpoint.model.at("w").to_vector<float>().size());
  return checkpoint.model.at("w").to_vector<float>() == expected.model.at("w").to_vector<float>() &&
         checkpoint.optimizer.at("m").to_vector<float>() == expected.optimizer.at("m").to_vector<float>() &&
         checkpoint.state == expected.state && checkpoint.model_config == expected.model_config &&
         checkpoint.training_config == expected.training_config;
}

// Saves without pause, every third time an interrupted save, and reports each.
[[noreturn]] void save_until_killed(const std::string& path, std::atomic<int64_t>& reported) {
  try {
    RunFolder run(
        path, [](const std::string&) {}, 3);
    const auto latest = run.load_latest();
    for (int64_t update = latest ? latest->update + 1 : 1;; ++update) {
      const Checkpoint checkpoint = sample_checkpoint(update, 20'000);
      update % 3 == 0 ? run.save_interrupted(checkpoint) : run.save(checkpoint);
      reported.store(update);
    }
  } catch (...) {
    _exit(1);
  }
}

}  // namespace

TEST_CASE("RunFolder: a new run has nothing to resume, then the newest save", "[unit]") {
  Run run;
  CHECK_FALSE(run.folder->load_latest().has_value());
  run.save_all(1, 3);
  run.reopen();
  const auto latest = run.folder->load_latest();
  REQUIRE(latest.has_value());
  CHECK(latest->update == 3);
  CHECK(is_whole(*latest));
  CHECK(run.link("latest") == "checkpoints/update-000003");
  CHECK(run.warnings.empty());
}

TEST_CASE("RunFolder: a kill between a save and its link leaves a run that mends the link", "[unit]") {
  Run run;
  run.save_all(1, 3);
  fs::remove(run.path + "/latest");
  fs::create_symlink("checkpoints/update-000002", run.path + "/latest");
  run.reopen();
  CHECK(run.folder->load_latest()->update == 3);
  CHECK(run.link("latest") == "checkpoints/update-000003");
  CHECK(run.warnings.empty());
}

TEST_CASE("RunFolder: a copy that followed the links goes on as the run itself would", "[unit]") {
  Run run;
  run.save_all(1, 3);
  run.folder->mark_best(2);
  run.folder.reset();
  const std::string copy = run.home / "copy";
  fs::copy(run.path, copy, fs::copy_options::recursive);  // follows links
  REQUIRE(fs::is_directory(fs::symlink_status(copy + "/best")));
  run.path = copy;
  run.reopen();
  CHECK(run.folder->load_latest()->update == 3);
  CHECK(run.link("latest") == "checkpoints/update-000003");
  run.folder->save(sample_checkpoint(4));
  CHECK(run.link("latest") == "checkpoints/update-000004");
  run.folder->mark_best(4);
  CHECK(run.link("best") == "checkpoints/update-000004");
  CHECK(run.warnings.empty());
}

TEST_CASE("RunFolder: a rollback goes to the last whole save of before, which is kept for it", "[unit]") {
  Run run(3);
  for (int64_t update = 1; update <= 8; ++update) run.folder->save(sample_checkpoint(update), 2);
  CHECK(run.folder->scheduled() == std::vector<int64_t>{2, 6, 7, 8});
  CHECK_FALSE(run.folder->roll_back(1).has_value());
  CHECK(run.folder->scheduled().size() == 4);
  const auto earlier = run.folder->roll_back(5);
  REQUIRE(earlier.has_value());
  CHECK(earlier->update == 2);
  CHECK(is_whole(*earlier));
  CHECK(run.folder->scheduled() == std::vector<int64_t>{2});
  CHECK(run.link("latest") == "checkpoints/update-000002");
  run.save_all(3, 4);
  flip_byte(run.checkpoint("update-000004") + "/model.safetensors");
  CHECK(run.folder->roll_back(4)->update == 3);
  CHECK(run.warnings.size() == 1);
}

TEST_CASE("RunFolder: a crash is kept to look at, and no run goes on from it", "[unit]") {
  Run run;
  run.save_all(1, 2);
  run.folder->save_crashed(sample_checkpoint(7));
  CHECK(is_whole(read_checkpoint(run.path + "/crash")));
  run.reopen();
  CHECK(run.folder->load_latest()->update == 2);
  run.folder->clear();
  CHECK_FALSE(fs::exists(run.path + "/crash"));
}

TEST_CASE("RunFolder: saves stay in order past six digits", "[unit]") {
  Run run;
  for (const int64_t update : {999'999, 1'000'000, 10'000'000}) run.folder->save(sample_checkpoint(update));
  CHECK(run.folder->scheduled() == std::vector<int64_t>{999'999, 1'000'000, 10'000'000});
  CHECK(run.folder->load_latest()->update == 10'000'000);
}

TEST_CASE("RunFolder: keeps the last N and the best, and the optimiser's state of the newest two", "[unit]") {
  Run run(3);
  run.save_all(1, 2);
  run.folder->mark_best(2);
  run.save_all(3, 7);
  CHECK(run.folder->scheduled() == std::vector<int64_t>{2, 5, 6, 7});
  CHECK(run.link("best") == "checkpoints/update-000002");
  for (const int64_t update : {2, 5, 6, 7}) {
    const std::string folder = run.checkpoint("update-00000" + std::to_string(update));
    CHECK(fs::exists(folder + "/optimizer.safetensors") == (update >= 6));
    CHECK(read_model(folder).update == update);
  }
  run.folder->mark_best(7);
  run.save_all(8, 8);
  CHECK(run.folder->scheduled() == std::vector<int64_t>{6, 7, 8});
  CHECK_THAT(error_of([&] { run.folder->mark_best(4); }), Catch::Contains("update-000004: not saved"));
}

TEST_CASE("RunFolder: the runners-up of the best are kept until they are none any more", "[unit]") {
  Run run(2);
  run.save_all(1, 2);
  run.folder->mark_best(1, {2});
  run.save_all(3, 6);
  CHECK(run.folder->scheduled() == std::vector<int64_t>{1, 2, 5, 6});
  run.folder->mark_best(6, {1});
  run.save_all(7, 8);
  CHECK(run.folder->scheduled() == std::vector<int64_t>{1, 6, 7, 8});
}

TEST_CASE("RunFolder: an interrupted save is resumed from, and gone after the next scheduled one", "[unit]") {
  Run run;
  run.folder->save_interrupted(sample_checkpoint(2));  // before any scheduled save
  run.reopen();
  CHECK(run.folder->load_latest()->update == 2);
  run.folder->save(sample_checkpoint(4));
  CHECK_FALSE(fs::exists(run.checkpoint("interrupted")));
  run.folder->save_interrupted(sample_checkpoint(5));
  run.folder->save_interrupted(sample_checkpoint(6));
  run.reopen();
  CHECK(run.folder->load_latest()->update == 6);
  CHECK(run.link("latest") == "checkpoints/interrupted");
  CHECK(run.folder->scheduled() == std::vector<int64_t>{4});
  run.folder->save(sample_checkpoint(8));
  CHECK(run.link("latest") == "checkpoints/update-000008");
  CHECK(run.folder->load_latest()->update == 8);
}

TEST_CASE("RunFolder: whoever goes back and is interrupted goes on from there, not from what came later",
          "[unit]") {
  Run run;
  run.save_all(1, 6);
  run.folder->save_interrupted(sample_checkpoint(4));
  run.reopen();
  CHECK(run.folder->load_latest()->update == 4);
  CHECK(run.folder->scheduled() == std::vector<int64_t>{1, 2, 3, 4});
}

TEST_CASE("RunFolder: an average ends when training goes on", "[unit]") {
  Run run;
  run.save_all(1, 2);
  run.folder->write_average(run.folder->average());
  run.folder->save_interrupted(sample_checkpoint(3));
  CHECK(run.folder->load_average());
  run.folder->save(sample_checkpoint(4));
  CHECK_FALSE(run.folder->load_average());
}

TEST_CASE("RunFolder: a damaged checkpoint is named and the one before it is used", "[unit]") {
  Run run;
  run.save_all(1, 3);
  run.folder->save_interrupted(sample_checkpoint(4));
  flip_byte(run.checkpoint("interrupted/optimizer.safetensors"));
  flip_byte(run.checkpoint("update-000003/model.safetensors"));
  CHECK(run.folder->load_latest()->update == 2);
  REQUIRE(run.warnings.size() == 2);
  CHECK_THAT(run.warnings[0], Catch::Contains("interrupted/optimizer.safetensors: damaged"));
  CHECK_THAT(run.warnings[1], Catch::Contains("update-000003/model.safetensors: damaged"));
  flip_byte(run.checkpoint("update-000002/model.safetensors"));
  CHECK_THAT(error_of([&] { run.folder->load_latest(); }),
             Catch::StartsWith("3: " + run.path + ": all of its"));
}

TEST_CASE("RunFolder: training that went back replaces what it had gone back behind", "[unit]") {
  Run run;
  run.save_all(1, 4);
  flip_byte(run.checkpoint("update-000003/model.safetensors"));
  flip_byte(run.checkpoint("update-000004/model.safetensors"));
  run.folder->save(sample_checkpoint(3));
  CHECK(run.folder->scheduled() == std::vector<int64_t>{1, 2, 3});
  CHECK(run.folder->load_latest()->update == 3);
  CHECK(run.warnings.empty());
}

TEST_CASE("RunFolder: what a killed save left is removed at the start, other files are not", "[unit]") {
  Run run;
  run.save_all(1, 1);
  fs::create_directories(run.checkpoint("update-000002.tmp"));
  atomic_write(run.checkpoint("update-000002.tmp/model.safetensors"), "half");
  fs::create_directories(run.path + "/averaged.tmp");
  fs::create_symlink("checkpoints/none", run.path + "/latest.tmp");
  atomic_write(run.path + "/notes.tmp", "the user's");
  run.reopen();
  CHECK(std::distance(fs::directory_iterator(run.checkpoint("")), {}) == 1);
  CHECK_FALSE(fs::exists(run.path + "/averaged.tmp"));
  CHECK_FALSE(fs::is_symlink(run.path + "/latest.tmp"));
  CHECK(fs::exists(run.path + "/notes.tmp"));
}

// On a file system that cannot exchange two folders the earlier one has no name for a moment.
TEST_CASE("RunFolder: a folder that a kill left without its name has it again, unless there is a newer one",
          "[unit]") {
  Run run;
  run.save_all(1, 2);
  run.folder->write_average(sample_checkpoint(2));
  for (const std::string& name : {run.checkpoint("update-000002"), run.path + "/averaged"})
    fs::rename(name, name + ".old.tmp");
  fs::create_directories(run.checkpoint("update-000001.old.tmp"));
  run.reopen();
  CHECK(is_whole(*run.folder->load_latest()));
  CHECK(run.folder->scheduled() == std::vector<int64_t>{1, 2});
  CHECK(run.folder->load_average()->update == 2);
  CHECK(std::distance(fs::directory_iterator(run.checkpoint("")), {}) == 2);
  CHECK_FALSE(fs::exists(run.path + "/averaged.old.tmp"));
}

TEST_CASE("RunFolder: a second trainer is refused and told of the first, until it ends", "[unit]") {
  Run run;
  const auto second = [&] { return error_of([&] { RunFolder(run.path, [](const std::string&) {}); }); };
  CHECK_THAT(second(),
             Catch::StartsWith("2: " + run.path + ": another trainer (pid " + std::to_string(getpid())));
  run.folder.reset();
  CHECK(second() == "no error");
  atomic_write(run.path + "/lock", "pid 1 on elsewhere");  // as a killed trainer leaves it
  run.reopen();
  REQUIRE(run.warnings.size() == 1);
  CHECK_THAT(run.warnings[0], Catch::Contains("pid 1 on elsewhere"));
  CHECK_THAT(error_of([&] { RunFolder(run.home.write("file", "") + "/run", [](const std::string&) {}); }),
             Catch::StartsWith("5: "));
}

// Expected: the definition, summed here in f64 from the samples.
TEST_CASE("RunFolder: the average is the f64 mean of the last saves, oldest first", "[unit]") {
  Run run(4);
  run.save_all(1, 7);
  run.folder->save_interrupted(sample_checkpoint(8));
  CHECK_FALSE(run.folder->load_average().has_value());
  run.folder->write_average(run.folder->average());
  CHECK(run.folder->load_average()->update == 7);
  const Checkpoint average = read_model(run.path + "/averaged");
  std::vector<double> sum(40, 0.0);
  for (int64_t update = 4; update <= 7; ++update) {
    const auto values = sample_checkpoint(update).model.at("w").to_vector<float>();
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(values[i]);
  }
  const auto mean = average.model.at("w").to_vector<float>();
  for (size_t i = 0; i < sum.size(); ++i) CHECK(mean[i] == static_cast<float>(sum[i] / 4.0));
  CHECK(average.model.at("b").to_vector<float>() == std::vector<float>{5.5f});
  CHECK(average.state.get<std::vector<int64_t>>("averaged") == std::vector<int64_t>{4, 5, 6, 7});
  CHECK(average.update == 7);
  CHECK(average.training_config == "update = 7\n");
  CHECK_FALSE(fs::exists(run.path + "/averaged/optimizer.safetensors"));
}

TEST_CASE("RunFolder: who only reads finds the scheduled saves without the lock", "[unit]") {
  Run run;
  run.save_all(9, 12);
  run.folder->save_interrupted(sample_checkpoint(13));
  const std::vector<Save> saves = scheduled_saves(run.path);
  REQUIRE(saves.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(saves[i].update == 9 + static_cast<int64_t>(i));
  CHECK(read_update(saves[3].folder) == 12);
  CHECK(last_saves(run.path, 2).front().update == 11);
  CHECK(last_saves(run.path, 20).size() == 4);
  CHECK(scheduled_saves(run.home / "nothing").empty());
}

TEST_CASE("RunFolder: an average leaves a damaged save out, with a warning", "[unit]") {
  Run run;
  CHECK_THAT(error_of([&] { run.folder->average(); }), Catch::Contains("no checkpoint to average"));
  run.save_all(1, 3);
  flip_byte(run.checkpoint("update-000003/model.safetensors"));
  run.folder->write_average(run.folder->average());
  CHECK(read_model(run.path + "/averaged").model.at("b").to_vector<float>() == std::vector<float>{1.5f});
  REQUIRE(run.warnings.size() == 1);
  CHECK_THAT(run.warnings[0], Catch::Contains("update-000003/model.safetensors"));
}

TEST_CASE("RunFolder: a damaged average is none, with a warning", "[unit]") {
  Run run;
  run.save_all(1, 2);
  run.folder->write_average(run.folder->average());
  flip_byte(run.path + "/averaged/model.safetensors");
  CHECK_FALSE(run.folder->load_average().has_value());
  REQUIRE(run.warnings.size() == 1);
  CHECK_THAT(run.warnings[0], Catch::Contains("averaged/model.safetensors: damaged"));
}

TEST_CASE("RunFolder: clearing removes the run and nothing else", "[unit]") {
  Run run;
  run.save_all(1, 3);
  run.folder->mark_best(2);
  run.folder->save_interrupted(sample_checkpoint(4));
  run.folder->write_average(run.folder->average());
  const std::vector<std::string> theirs = {run.checkpoint("weights.pt"), run.path + "/train.py"};
  for (const std::string& file : theirs) atomic_write(file, "theirs");
  CHECK(run_contents(run.path) == RunContents::checkpoints);
  run.folder->clear();
  CHECK(run_contents(run.path) == RunContents::unsaved);
  CHECK(std::distance(fs::directory_iterator(run.checkpoint("")), {}) == 1);
  CHECK(std::distance(fs::directory_iterator(run.path), {}) == 3);  // checkpoints, lock, train.py
  for (const std::string& file : theirs) CHECK(read_file(file) == "theirs");
}

TEST_CASE("RunFolder: a new run clears away what a copy has in place of links", "[unit]") {
  Run run;
  run.folder->save(sample_checkpoint(1));
  for (const char* const name : {"best", "latest"}) {
    fs::remove(run.path + "/" + name);
    fs::copy(run.checkpoint("update-000001"), run.path + "/" + name);
  }
  run.folder->clear();
  for (const char* const name : {"best", "latest"}) CHECK_FALSE(fs::exists(run.path + "/" + name));
}

TEST_CASE("RunFolder: what a folder holds is told apart", "[unit]") {
  const tests::TemporaryFolder home;
  CHECK(run_contents(home / "none") == RunContents::nothing);
  fs::create_directory(home / "empty");
  CHECK(run_contents(home / "empty") == RunContents::nothing);
  fs::create_directories(home / "others/checkpoints/epoch-3");
  CHECK(run_contents(home / "others") == RunContents::others);
  Run run;
  CHECK(run_contents(run.path) == RunContents::unsaved);
  run.folder->save_interrupted(sample_checkpoint(1));
  CHECK(run_contents(run.path) == RunContents::checkpoints);
  run.folder->save(sample_checkpoint(2));
  run.folder->write_average(run.folder->average());
  fs::remove_all(run.checkpoint(""));
  CHECK(run_contents(run.path) == RunContents::model);
}

TEST_CASE("RunFolder: the average has the same bytes whether or not the run was interrupted", "[unit]") {
  Run whole, stopped;
  whole.save_all(1, 12);
  for (int64_t update = 1; update <= 12; ++update) {
    stopped.folder->save_interrupted(sample_checkpoint(update));
    stopped.reopen();
    CHECK(stopped.folder->load_latest()->update == update);
    stopped.folder->save(sample_checkpoint(update));
  }
  stopped.folder->save_interrupted(sample_checkpoint(13));
  whole.folder->write_average(whole.folder->average());
  stopped.folder->write_average(stopped.folder->average());
  for (const char* file :
       {"/averaged/model.safetensors", "/averaged/state.json", "/averaged/training.toml"}) {
    CHECK(read_file(whole.path + file) == read_file(stopped.path + file));
  }
}

TEST_CASE("RunFolder: the model to translate with is the averaged, else the best, else the latest",
          "[unit]") {
  Run run;
  CHECK_THAT(error_of([&] { find_model_folder(run.path); }),
             Catch::StartsWith("3: " + run.path + ": no model"));
  run.save_all(1, 2);
  CHECK(find_model_folder(run.path) == run.path + "/latest");
  run.folder->mark_best(1);
  CHECK(find_model_folder(run.path) == run.path + "/best");
  run.folder->write_average(run.folder->average());
  CHECK(find_model_folder(run.path) == run.path + "/averaged");
  CHECK(find_model_folder(run.path + "/latest") == run.path + "/latest");
}

TEST_CASE("RunFolder: who reads a link that moves on meanwhile reads one checkpoint, whole", "[unit]") {
  Run run;
  run.save_all(1, 2);
  const auto point_at = [&](const std::string& name) {
    fs::create_symlink("checkpoints/" + name, run.path + "/next");
    fs::rename(run.path + "/next", run.path + "/latest");
  };
  std::atomic<bool> reading = true;
  std::thread trainer([&] {
    while (reading) {
      point_at("update-000001");
      point_at("update-000002");
    }
  });
  int whole = 0;
  for (int i = 0; i < 300; ++i)
    whole += error_of([&] { read_checkpoint(run.path + "/latest/"); }) == "no error";
  reading = false;
  trainer.join();
  CHECK(whole == 300);
}

// Expected: what the killed one last reported as saved, or a later save, is found whole.
TEST_CASE("RunFolder: kill -9 at any instant leaves the last save whole", "[unit]") {
  const char* const wanted = std::getenv("XF_KILLS");  // 500 take a minute
  const int kills = wanted ? std::atoi(wanted) : 60;
  const tests::TemporaryFolder home;
  const std::string path = home / "run";
  void* shared =
      mmap(nullptr, sizeof(std::atomic<int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  auto& reported = *new (shared) std::atomic<int64_t>(0);
  std::mt19937 random(7);
  int64_t found = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) save_until_killed(path, reported);
    for (int wait = 0; wait < 100'000 && reported.load() == 0; ++wait) usleep(100);
    usleep(std::uniform_int_distribution<useconds_t>(1'000, 150'000)(random));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);

    std::vector<std::string> warnings;
    const RunFolder run(
        path, [&](const std::string& text) { warnings.push_back(text); }, 3);
    const auto latest = run.load_latest();
    INFO("kill " << kill_number << ", reported " << reported.load());
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(latest.has_value());
    REQUIRE(is_whole(*latest));
    REQUIRE(latest->update >= reported.load());
    REQUIRE(warnings.size() <= 1);  // about the lock of the killed one; none about a damaged
                                    // checkpoint
    REQUIRE(read_model(find_model_folder(path)).update >= reported.load());
    found = latest->update;
  }
  CHECK(found > 5);  // saves went on between the kills, however slow the disk
  munmap(shared, sizeof(std::atomic<int64_t>));
}

namespace {

// As a program of a later version would have written it: whole by its checksum.
void make_newer(const std::string& checkpoint) {
  const std::string path = checkpoint + "/state.json";
  nlohmann::json state = nlohmann::json::parse(read_file(path));
  state["content"]["version"] = 2;
  state["crc64"] = record_of(state["content"].dump()).crc64;
  atomic_write(path, state.dump());
}

}  // namespace

TEST_CASE("Run folder: a save of a later version is no damage: nothing passes over it", "[unit]") {
  Run run;
  run.save_all(1, 3);
  make_newer(run.checkpoint("update-000003"));
  CHECK_THAT(error_of([&] { run.folder->load_latest(); }), Catch::Contains("use a newer one"));
  CHECK_THAT(error_of([&] { run.folder->average(); }), Catch::Contains("use a newer one"));
  run.folder->write_average(sample_checkpoint(3));
  make_newer(run.path + "/averaged");
  CHECK_THAT(error_of([&] { run.folder->load_average(); }), Catch::Contains("use a newer one"));
  CHECK(run.warnings.empty());
  CHECK(fs::exists(run.checkpoint("update-000003")));
}

TEST_CASE("Run folder: a save that only the end has asked for becomes one to go on from", "[unit]") {
  Run run;
  run.save_all(1, 3);
  run.folder->mark_best(3);
  run.folder->unschedule(3);
  CHECK(run.folder->scheduled() == std::vector<int64_t>{1, 2});
  CHECK(run.link("latest") == "checkpoints/interrupted");
  CHECK_FALSE(fs::exists(fs::symlink_status(run.path + "/best")));
  CHECK(run.folder->load_latest()->update == 3);
  run.folder->save(sample_checkpoint(4));
  CHECK(run.folder->scheduled() == std::vector<int64_t>{1, 2, 4});
  CHECK_FALSE(fs::exists(run.checkpoint("interrupted")));
}
