#include "nn/checkpoint/checkpoint.h"

#include <sys/resource.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/file.h"
#include "nn/checkpoint/average.h"
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

// While it lives, no file grows past `bytes`: what a full disk does to a writer.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

void put_byte(const std::string& path, size_t at, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

}  // namespace

TEST_CASE("KeyValues: every kind of value comes back as what it was, doubles with the same bits", "[unit]") {
  // No denormal: where there is a pool of threads, they count as 0 in every computation
  // (core/parallel.h).
  const std::vector<double> doubles = {0.1,  -0.0,    2.0,       1e300,
                                       M_PI, DBL_MIN, -INFINITY, std::nextafter(1.0, 2.0)};
  Checkpoint checkpoint = sample_checkpoint(3);
  KeyValues& state = checkpoint.state;
  state.set("int", int64_t{-3});
  state.set("largest", std::numeric_limits<int64_t>::max());
  state.set("text", "a \"b\"\n\xc3\xa4");
  state.set("ints", std::vector<int64_t>{1, 2});
  state.set("texts", std::vector<std::string>{"a", ""});
  state.set("doubles", doubles);
  state.set("nothing", std::vector<double>{});
  state.set("nan", NAN);
  for (size_t i = 0; i < doubles.size(); ++i) state.set("d" + std::to_string(i), doubles[i]);

  const tests::TemporaryFolder folder;
  write_checkpoint(folder / "c", checkpoint);
  const KeyValues read = read_checkpoint(folder / "c").state;
  CHECK(read.get<int64_t>("int") == -3);
  CHECK(read.get<int64_t>("largest") == std::numeric_limits<int64_t>::max());
  CHECK(read.get<std::string>("text") == "a \"b\"\n\xc3\xa4");
  CHECK(read.get<std::vector<int64_t>>("ints") == std::vector<int64_t>{1, 2});
  CHECK(read.get<std::vector<std::string>>("texts") == std::vector<std::string>{"a", ""});
  CHECK(read.get<std::vector<double>>("nothing").empty());
  CHECK(read.get<std::vector<std::string>>("nothing").empty());
  CHECK(std::isnan(read.get<double>("nan")));
  const auto list = read.get<std::vector<double>>("doubles");
  REQUIRE(list.size() == doubles.size());
  for (size_t i = 0; i < doubles.size(); ++i) {
    CHECK(std::bit_cast<uint64_t>(list[i]) == std::bit_cast<uint64_t>(doubles[i]));
    CHECK(std::bit_cast<uint64_t>(read.get<double>("d" + std::to_string(i))) ==
          std::bit_cast<uint64_t>(doubles[i]));
  }
  CHECK_THAT(error_of([&] { read.get<int64_t>("none"); }), Catch::StartsWith("3: state.json: no 'none'"));
  CHECK_THAT(error_of([&] { read.get<double>("int"); }), Catch::Contains("'int' is of another type"));
}

TEST_CASE(
    "Checkpoint: its companions lie beside it, and a folder with anything else is more than a checkpoint",
    "[unit]") {
  const tests::TemporaryFolder folder;
  Checkpoint checkpoint = sample_checkpoint(3);
  checkpoint.companions["vocab.txt"] = "a\nb\n";
  write_checkpoint(folder / "c", checkpoint);
  CHECK(read_file(folder / "c/vocab.txt") == "a\nb\n");
  CHECK(read_model(folder / "c").update == 3);
  CHECK(is_checkpoint_alone(folder / "c"));
  atomic_write(folder / "c/notes.txt", "precious");
  CHECK_FALSE(is_checkpoint_alone(folder / "c"));
  CHECK_FALSE(is_checkpoint_alone(folder / "."));
  folder.write("d/state.json", "{}");
  CHECK_FALSE(is_checkpoint_alone(folder / "d"));
}

TEST_CASE("Checkpoint: what is written is what is read, and nothing temporary stays", "[unit]") {
  const tests::TemporaryFolder folder;
  for (const int64_t update : {7, 8}) {  // the second replaces the first
    write_checkpoint(folder / "c", sample_checkpoint(update));
    const Checkpoint read = read_checkpoint(folder / "c");
    CHECK(read.update == update);
    CHECK(read_update(folder / "c") == update);
    CHECK(read.model.at("w").to_vector<float>() ==
          sample_checkpoint(update).model.at("w").to_vector<float>());
    CHECK(read.optimizer.at("m").to_vector<float>() ==
          sample_checkpoint(update).optimizer.at("m").to_vector<float>());
    CHECK(read.state == sample_checkpoint(update).state);
    CHECK(read.training_config == sample_checkpoint(update).training_config);
    CHECK(read.metadata.at("note") == "sample");
    CHECK(read_model(folder / "c").optimizer.empty());
    CHECK(std::distance(fs::directory_iterator(folder / "."), {}) == 1);
  }
}

TEST_CASE("Checkpoint: the same checkpoint gives the same bytes", "[unit]") {
  const tests::TemporaryFolder folder;
  write_checkpoint(folder / "a", sample_checkpoint(5));
  write_checkpoint(folder / "b", sample_checkpoint(5));
  for (const char* file :
       {"/model.safetensors", "/optimizer.safetensors", "/model.toml", "/training.toml", "/state.json"}) {
    CHECK(read_file((folder / "a") + file) == read_file((folder / "b") + file));
  }
}

TEST_CASE("Checkpoint: a truncated, flipped or missing file is refused by its name", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto refusal = [&] { return error_of([&] { read_checkpoint(folder / "c"); }); };
  for (const char* name :
       {"model.safetensors", "optimizer.safetensors", "model.toml", "training.toml", "state.json"}) {
    write_checkpoint(folder / "c", sample_checkpoint(5));
    const std::string path = (folder / "c/") + name;
    const std::string whole = read_file(path);
    const auto is_named = Catch::StartsWith("3: " + path + ": ");
    for (const size_t size : {size_t{0}, whole.size() / 2, whole.size() - 2}) {
      folder.write(std::string("c/") + name, whole.substr(0, size));
      CHECK_THAT(refusal(), is_named);
    }
    fs::remove(path);
    CHECK_THAT(refusal(), is_named);
  }
}

// A flip in state.json may hit white space, which says nothing; then the content must be what it
// was.
TEST_CASE("Checkpoint: a file of 100,000 brackets in each other is refused by its name", "[unit]") {
  const tests::TemporaryFolder folder;
  write_checkpoint(folder / "c", sample_checkpoint(3));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  folder.write("c/state.json", R"({"crc64": "", "content": )" + deep + "}");
  CHECK_THAT(error_of([&] { read_checkpoint(folder / "c"); }),
             Catch::StartsWith("3: " + (folder / "c/state.json") + ": damaged: nested too deep"));
  const std::string header = R"({"w": )" + deep + "}";
  const uint64_t length = header.size();
  folder.write("t", std::string(reinterpret_cast<const char*>(&length), 8) + header);
  CHECK_THAT(error_of([&] { read_safetensors(folder / "t"); }), Catch::StartsWith("3: "));
}

TEST_CASE("Checkpoint: any flipped bit of any file is refused or without effect", "[unit]") {
  const tests::TemporaryFolder folder;
  const Checkpoint sample = sample_checkpoint(5);
  write_checkpoint(folder / "c", sample);
  for (const char* name : {"model.safetensors", "model.toml", "training.toml", "state.json"}) {
    const std::string whole = read_file((folder / "c/") + name);
    int refused = 0;
    for (size_t bit = 0; bit < whole.size() * 8; bit += 3) {
      put_byte(folder / "c/" + name, bit / 8, static_cast<char>(whole[bit / 8] ^ (1 << (bit % 8))));
      try {
        const Checkpoint read = read_checkpoint(folder / "c");
        REQUIRE(name == std::string("state.json"));
        REQUIRE((read.state == sample.state && read.update == sample.update));
      } catch (const Error& error) {
        REQUIRE(error.kind() == ErrorKind::data);
        REQUIRE_THAT(error.what(), Catch::Contains(name));
        ++refused;
      }
      put_byte(folder / "c/" + name, bit / 8, whole[bit / 8]);
    }
    CHECK(refused > 10);
  }
  CHECK(read_checkpoint(folder / "c").state == sample.state);
}

TEST_CASE("Checkpoint: a tensor of another dtype is no parameter, and is refused by name and dtype",
          "[unit]") {
  ParameterStore store;
  store.add("w", {2}, Init::ones());
  store.allocate(Device::cpu(), ParameterStore::Gradients::no);
  const Tensor integers = Tensor::from(std::vector<int32_t>{1, 2});
  CHECK_THAT(error_of([&] {
               load_model({{"w", integers}}, store, "run");
             }),
             Catch::StartsWith("3: run: w is i32, but a parameter is f32; "));
  Checkpoint checkpoint = sample_checkpoint(3);
  checkpoint.model["b"] = integers;
  const tests::TemporaryFolder folder;
  write_checkpoint(folder / "c", checkpoint);
  CHECK_THAT(error_of([&] { Average().add(read_model(folder / "c"), folder / "c"); }),
             Catch::StartsWith("3: " + (folder / "c") + ": 'b' is i32, but a parameter is f32; "));
}

TEST_CASE("Checkpoint: a full disk leaves the old one and no debris", "[unit]") {
  const tests::TemporaryFolder folder;
  write_checkpoint(folder / "c", sample_checkpoint(1));
  const size_t size = fs::file_size(folder / "c/model.safetensors");
  for (const size_t limit : {size_t{0}, size_t{1}, size / 2, size - 1}) {
    const std::string error = error_of([&] {
      const FullDisk disk(limit);
      write_checkpoint(folder / "c", sample_checkpoint(2));
    });
    CHECK_THAT(error, Catch::StartsWith("5: " + (folder / "c.tmp/")));
    CHECK(read_checkpoint(folder / "c").update == 1);
    CHECK_FALSE(fs::exists(folder / "c.tmp"));
  }
  write_checkpoint(folder / "c", sample_checkpoint(2));  // and with space again, it goes on
  CHECK(read_checkpoint(folder / "c").update == 2);
  CHECK_THAT(error_of([&] { write_checkpoint(folder / "no/c", sample_checkpoint(2)); }),
             Catch::StartsWith("5: "));
}
