// A peer that is tuned and takes turns with ours: fake_peer.sh, which says what it is told to.
#include "bench/peer_program.h"

#include <cmath>

#include "bench/train_step.h"
#include "core/error.h"
#include "core/file.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace xf::bench {
namespace {

using Catch::Contains;
const auto kSilent = [](const std::string&) {};

// One setting, written as an offer has it.
std::string setting(const std::string& name, const std::string& options, const std::string& word = "") {
  return R"({"name": ")" + name + R"(", "environment": {"FAKE_WORD": ")" + word + R"("}, "options": {)" +
         options + "}}";
}

class FakePeer {
 public:
  explicit FakePeer(const std::string& settings, std::map<std::string, std::string> environment = {}) {
    environment["FAKE_SETTINGS"] = R"({"limit_s": 10, "settings": [)" + settings + "]}";
    environment["FAKE_LOG"] = log_;
    program = std::make_unique<PeerProgram>(
        "fake", std::vector<std::string>{tests::source_folder() + "/tests/bench/fake_peer.sh"}, environment);
  }
  std::string log() const { return read_file(log_); }

 private:
  const tests::TemporaryFolder folder_;
  const std::string log_ = folder_ / "log";

 public:
  std::unique_ptr<PeerProgram> program;  // ends before the folder does
};

TEST_CASE("Peer program: the fastest setting is chosen, in a process with its environment", "[unit]") {
  FakePeer fake(setting("slow", R"("seconds": 3)", "one") + "," +
                setting("fast", R"("seconds": 0.5)", "two") + "," +
                setting("middle", R"("seconds": 2)", "one"));
  const Tuned tuned = fake.program->tune(kSilent);
  CHECK(tuned.tuning.chosen == "fast");
  REQUIRE(tuned.tuning.tried.size() == 3);
  CHECK(tuned.tuning.tried[0].seconds == 3);
  CHECK(tuned.tuning.tried[0].on == "a part");
  // Two processes, of which the first serves both settings of its environment; two turns each.
  CHECK(fake.log() == "start one\nset\nturn\nturn\nset\nturn\nturn\nstart two\nset\nturn\nturn\n");
  CHECK(fake.program->start(tuned.setting).name == "fake 1.2, fast");
  CHECK(fake.program->turn() == 0.5);
}

TEST_CASE(
    "Peer program: a setting in which it dies, sleeps, declines or rambles is told, and the next is tried",
    "[unit]") {
  FakePeer fake(setting("sleeps", R"("does": "sleeps")") + "," + setting("dies", R"("does": "dies")") + "," +
                setting("rambles", R"("does": "rambles")") + "," + setting("declines", R"("does": "skips")") +
                "," + setting("works", R"("seconds": 8)"));
  const Tuned tuned = fake.program->tune(kSilent);
  CHECK(tuned.tuning.chosen == "works");
  REQUIRE(tuned.tuning.tried.size() == 5);
  CHECK_THAT(tuned.tuning.tried[0].why_not, Contains("no answer within 10 s"));
  CHECK_THAT(tuned.tuning.tried[1].why_not, Contains("Killed, as it got ready"));
  CHECK_THAT(tuned.tuning.tried[2].why_not, Contains("'soon' is no time"));
  CHECK_THAT(tuned.tuning.tried[3].why_not, Contains("not on a Tuesday"));
  CHECK_THAT(tuned.tuning.why, Contains("4 of them did not run"));
}

TEST_CASE("Peer program: ours and the peer take turns, and a peer's time is brought to our tokens",
          "[unit]") {
  FakePeer fake(setting("only", R"("seconds": 6)"), {{"FAKE_TOKENS", "300"}, {"FAKE_IDS", "[[1,2],[3],[]]"}});
  const Tuned tuned = fake.program->tune(kSilent);
  Row row;
  row.tokens = 100;
  take_turns_with(
      *fake.program, tuned, 4, [] { return 0.5; }, row);
  CHECK(row.samples.seconds.size() == 4);
  CHECK(row.baseline == "fake 1.2, only");
  CHECK(row.ratio() == Approx(4));  // 6 s for 300 tokens are 2 s for 100
  CHECK(row.tuning.chosen == "only");
  CHECK(fake.log().ends_with("start \nset\nturn\nturn\nturn\nturn\n"));  // in a fresh process
  CHECK(different_lines({{1, 2}, {4}, {}}, fake.program->translations()) == 1);
}

TEST_CASE(
    "Peer program: a peer that dies at its turn is an error with its last words, and what was tried stays",
    "[unit]") {
  FakePeer fake(setting("frail", R"("does": "dies_later", "seconds": 1)"));
  Row row;
  const Tuned tuned = fake.program->tune(kSilent);  // two turns only
  CHECK_THROWS_WITH(take_turns_with(
                        *fake.program, tuned, 4, [] { return 1.0; }, row),
                    Contains("Killed, at a turn"));
  CHECK_FALSE(row.ran());
  CHECK(std::isnan(row.ratio()));
  CHECK(row.tuning.tried.size() == 1);
}

TEST_CASE("Peer program: translations that differ are counted, and so are those that are missing", "[unit]") {
  CHECK(different_lines({{1}, {2}}, {{1}, {2}}) == 0);
  CHECK(different_lines({{1}, {2}}, {{1}, {3}}) == 1);
  CHECK(different_lines({{1}, {2}, {3}}, {{5}}) == 3);
  FakePeer fake(setting("only", R"("seconds": 6)"), {{"FAKE_IDS", "some text"}});
  fake.program->start({"only", {}, R"({"seconds": 6})"});
  CHECK_THROWS_WITH(fake.program->translations(), Contains("no lists of ids"));
}

TEST_CASE("Peer program: one that translates otherwise is no peer", "[unit]") {
  FakePeer fake(setting("only", R"("seconds": 6)"), {{"FAKE_IDS", "[[1,2],[3],[4],[5]]"}});
  CHECK_NOTHROW(check_translates_alike(*fake.program, {{1, 2}, {3}, {4}, {6}}));
  CHECK_THROWS_WITH(check_translates_alike(*fake.program, {{1, 2}, {3}, {7}, {6}}),
                    Contains("2 of 4 lines are translated otherwise"));
}

// A step of a few milliseconds.
ModelPreset small_model() {
  ModelPreset preset{"small", {}, 3, 5};
  preset.config.source_vocabulary = preset.config.target_vocabulary = 50;
  preset.config.dim = preset.config.feed_forward = 16;
  preset.config.encoder_layers = preset.config.decoder_layers = 1;
  return preset;
}

TEST_CASE("Train step: ours takes turns with the peer's best setting", "[unit]") {
  FakePeer fake(setting("slow", R"("seconds": 4000)") + "," + setting("fast", R"("seconds": 1000)"));
  Row row;
  train_step_beside_peer(small_model(), {Device::cpu(), DType::f32}, 3, 0, *fake.program, kSilent, row);
  CHECK(row.shape == "small 3x5");
  CHECK(row.samples.seconds.size() == 3);
  CHECK(row.tuning.chosen == "fast");
  CHECK(row.baseline == "fake 1.2, fast");
  CHECK(row.ratio() > 1);
  CHECK(row.ratio() * row.median() < 2000);  // of neighbouring turns, each 1000 s of the peer's
  CHECK_THAT(row.note, Contains("in turn") && Contains("peak memory of the peer"));
}

TEST_CASE("Train step: the share of a floor that is measured between its updates", "[unit]") {
  const auto measured = [](double slowdown) {
    return train_step_beside_floor(small_model(), {Device::cpu(), DType::f32}, 2, slowdown);
  };
  const Row row = measured(0);
  CHECK(row.baseline == kStepFloor);
  CHECK(row.samples.seconds.size() == 2);
  CHECK(row.ratio() > 0);
  CHECK(row.ratio() < 2);  // what no step does, on a machine however busy
  CHECK_THAT(row.note, Contains("in turn"));
  CHECK(measured(99).ratio() < row.ratio() / 10);
}

TEST_CASE("Train step: a type beside f32, one update each in turn", "[unit]") {
  const Row row = train_step_beside_f32(small_model(), {Device::cpu(), DType::bf16}, 4);
  CHECK(row.dtype == "bf16");
  CHECK(row.baseline == "f32");
  CHECK(row.samples.seconds.size() == 4);
  CHECK(row.ratio() > 0);
  CHECK_THAT(row.note, Contains("in turn"));
}

}  // namespace
}  // namespace xf::bench
