// Marian's folders that ask for more than they have.
#include <sys/stat.h>

#include "tests/fuzz/structured/zip.h"
#include "tests/support/catch.h"
#include "tests/tools/exchange_models.h"
#include "tools/formats/marian.h"
#include "tools/formats/npz_file.h"
#include "tools/formats/yaml.h"
#include "tools/formats/zip_file.h"

using namespace xf;
using namespace xf::tools::exchange;
using xf::fuzz::Packing;
using xf::fuzz::ZipFile;
using xf::tests::Changed;
using xf::tests::error_of;
using xf::tests::fixture;

namespace {

std::string npy(const std::string& shape, const std::string& bytes) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + bytes;
}

std::string zipped(const std::vector<ZipFile>& files, Packing packing) {
  fuzz::Damage none(1);
  return fuzz::zip(none, files, packing);
}

// The fixture's model with an array that is another, or one more.
class Model : public Changed {
 public:
  Model() : Changed(fixture("../marian_npz/post")) {}

  void set(const std::string& name, const std::string& npy_file, Packing packing = Packing::stored) {
    const std::string bytes = read_file(path() + "/model.npz");
    std::vector<ZipFile> files;
    std::string unpacked;
    for (const auto& [file, entry] : parse_zip(bytes, "model.npz")) {
      if (file != name + ".npy") files.push_back({file, std::string(entry.read(entry.size(), unpacked))});
    }
    files.push_back({name + ".npy", npy_file});
    write("model.npz", zipped(files, packing));
  }
  std::string error() const {
    return error_of([&] { read_marian(path()); });
  }
};

}  // namespace

TEST_CASE("Marian: an array without elements is refused by its name, whatever its shape", "[unit]") {
  for (const char* name : {"Wemb", "encoder_l1_self_Wq", "encoder_l1_self_Wo_ln_scale"}) {
    for (const char* shape : {"(71, 0)", "(0, 12)", "(0, 0)", "(0,)", "(0, 71, 3)"}) {
      Model model;
      model.set(name, npy(shape, ""));
      CHECK_THAT(model.error(), Catch::StartsWith("3: ") &&
                                    Catch::Contains(std::string(name) + ": an array of [") &&
                                    Catch::Contains("which has no element"));
    }
  }
}

TEST_CASE("Marian: an array that nobody asks for is not unpacked", "[unit]") {
  Model model;
  // Its stream ends where a kilobyte of it, which has the shape, is read: unpacked, it would be
  // found damaged.
  const std::string whole = npy("(1048576,)", std::string(4 << 20, '\0'));
  model.set("special:more", whole, Packing::deflated);
  std::string bytes = read_file(model.path() + "/model.npz");
  CHECK(model.error() == "no error");
  const std::string end = fuzz::deflated(whole).substr(2000);
  REQUIRE(bytes.find(end) != std::string::npos);
  model.write("model.npz", bytes.replace(bytes.find(end), end.size(), std::string(end.size(), '\xFF')));
  CHECK(model.error() == "no error");
  const StoredArrays stored = npz_arrays(model.path() + "/model.npz");
  CHECK_THAT(error_of([&] { f32_values(stored.arrays.at("special:more"), "more"); }),
             Catch::Contains("an entry is damaged"));
}

TEST_CASE("NumPy: an archive unpacks to some times its size, and its entries do not lie in each other",
          "[unit]") {
  const std::string zeros = npy("(16777216,)", std::string(64 << 20, '\0'));
  const std::string bytes = zipped({{"x.npy", zeros}}, Packing::deflated);
  const StoredArrays stored = parse_npz_file(bytes, "model.npz");
  CHECK(error_of([&] { f32_values(stored.arrays.at("x"), "x"); }) ==
        "3: model.npz: unpacks to more than 32 times its size; save it uncompressed");
  // As the directory of two entries says that both are the first one.
  std::string shared = zipped({{"x.npy", zeros}, {"y.npy", npy("(1,)", "four")}}, Packing::stored);
  const size_t second = shared.rfind("y.npy");
  const size_t first = shared.find(std::string("\x50\x4b\x01\x02", 4));
  shared.replace(second - 46 + 16, 30, shared.substr(first + 16, 30));
  CHECK(error_of([&] { parse_npz_file(shared, "model.npz"); }) ==
        "3: model.npz: not a valid archive: two of its entries lie in each other; copy or save it again");
}

TEST_CASE("Marian: what decoder.yml names lies in the model's folder", "[unit]") {
  for (const char* named : {"/etc/passwd", "../../../../../../../../../../etc/passwd", "..", "/", ""}) {
    Model model;
    model.write("decoder.yml", std::string("vocabs: [\"") + named + "\", \"" + named + "\"]\n");
    CHECK_THAT(model.error(), Catch::StartsWith("3: ") && !Catch::Contains("root:") &&
                                  Catch::EndsWith("the model's vocabulary must be in the same folder"));
  }
  Model elsewhere;  // a path of another machine, and a folder of the model's
  elsewhere.write("decoder.yml", "vocabs: [/home/anna/run/opus.vocab.yml, ../opus.vocab.yml]\n");
  CHECK(elsewhere.error() == "no error");
  std::filesystem::create_directory(elsewhere.path() + "/more");
  std::filesystem::rename(elsewhere.path() + "/opus.vocab.yml", elsewhere.path() + "/more/v.yml");
  elsewhere.write("decoder.yml", "vocabs: [more/v.yml, more/v.yml]\n");
  CHECK_FALSE(Catch::Contains("must be in the same folder").match(elsewhere.error()));
}

TEST_CASE("Marian: options that make a larger model than its weights are refused before it has memory",
          "[unit]") {
  Model model;
  const StoredArrays stored = npz_arrays(model.path() + "/model.npz");
  const std::string options = text_of(stored.arrays.at("special:model.yml"), "options");
  const auto with = [&](const std::string& line) {
    std::string text = options + "\n" + line + "\n";
    std::string header =
        "{'descr': '|i1', 'fortran_order': False, 'shape': (" + std::to_string(text.size()) + ",), }";
    header.resize(117, ' ');
    model.set("special:model.yml", std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + text);
    return model.error();
  };
  // Of equal options the first one counts, so that others are taken here.
  CHECK(with("more: 1") == "no error");
  CHECK_THAT(with(std::string(5 << 20, '#')),
             Catch::StartsWith("3: ") && Catch::Contains("that a text may have"));
  std::string wide = options;
  const size_t at = wide.find("dim-emb: ");
  REQUIRE(at != std::string::npos);
  wide.replace(at, wide.find('\n', at) - at, "dim-emb: 65536");
  std::string header =
      "{'descr': '|i1', 'fortran_order': False, 'shape': (" + std::to_string(wide.size()) + ",), }";
  header.resize(117, ' ');
  model.set("special:model.yml", std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + wide);
  CHECK_THAT(model.error(), Catch::StartsWith("3: ") && Catch::Contains("its settings make it ") &&
                                Catch::EndsWith("bytes; copy both again"));
}

TEST_CASE("Marian: a pipe in place of a file is refused and not waited for", "[unit]") {
  for (const char* name : {"decoder.yml", "opus.vocab.yml", "source.spm"}) {
    Model model;
    std::filesystem::remove(model.path() + "/" + name);
    REQUIRE(::mkfifo((model.path() + "/" + name).c_str(), 0600) == 0);
    CHECK_THAT(model.error(), Catch::StartsWith("3: "));
  }
}

TEST_CASE("YAML: what is nested deep or repeats itself costs no more than it has bytes", "[unit]") {
  for (const char* open : {"[", "{", "- ", "? "}) {
    std::string deep = "a: ";
    for (int i = 0; i < 100'000; ++i) deep += open;
    CHECK_THAT(error_of([&] { parse_yaml_options(deep, "model.yml"); }), Catch::StartsWith("3: model.yml: "));
  }
  std::string laughs = "a: &x [";
  for (int i = 0; i < 10'000; ++i) laughs += "word, ";
  laughs += "]\n";
  for (int i = 0; i < 1000; ++i) laughs += "key" + std::to_string(i) + ": *x\n";
  CHECK_THAT(error_of([&] { parse_yaml_options(laughs, "model.yml"); }),
             Catch::StartsWith("3: model.yml:") && Catch::Contains("aliases repeat more than 1048576 bytes"));
  const auto repeated =
      parse_yaml_options("a: &x [1, 2]\nb: &y z\nc: *x\nd: [*y, *x, q]\n*y : 3\n", "model.yml");
  CHECK(repeated.at("c") == std::vector<std::string>{"1", "2"});
  CHECK(repeated.at("d") == std::vector<std::string>{"z", "q"});
  CHECK(repeated.at("z") == std::vector<std::string>{"3"});
  const auto options =
      parse_yaml_options("a: {b: [c]}\n? [k]\n: v\nl: [1, [2], {m: 3}, ~, 4]\nn: ~\n", "model.yml");
  CHECK(options.at("a").empty());
  CHECK(options.at("l") == std::vector<std::string>{"1", "4"});
  CHECK(options.at("n").empty());
  CHECK_THAT(error_of([&] { parse_yaml_pieces("a: [0]\n", "vocab.yml"); }),
             Catch::StartsWith("3: vocab.yml: the ids"));
  CHECK_THAT(error_of([&] { parse_yaml_pieces("a: 0\n~: 1\n", "vocab.yml"); }), Catch::Contains("is empty"));
}
