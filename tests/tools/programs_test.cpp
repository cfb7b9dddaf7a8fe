// The built programs, run as a user runs them: exit codes, one-line errors, what lands on which
// stream.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace xf::tools {
namespace {

using tests::TemporaryFolder;

struct Result {
  int code = -1;
  std::string out, err;
};

std::string contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// What the shell says to `script`. Paths in the folder reach it in a variable, whatever the folder
// is called; $PROGRAMS has the programs of this build.
int shell(const TemporaryFolder& folder, std::string script) {
  const std::string path = folder / "", variable = "\"$FOLDER\"";
  for (size_t at = script.find(path); at != std::string::npos; at = script.find(path, at + variable.size()))
    script.replace(at, path.size(), variable);
  setenv("FOLDER", path.c_str(), 1);
  setenv("PROGRAMS", tests::programs_folder().c_str(), 1);
  const int status = std::system(script.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// `command` for the shell, its first word a program of this build.
Result run(const TemporaryFolder& folder, const std::string& command, const std::string& environment = "") {
  const std::string out = folder / ".out", err = folder / ".err";
  const int code = shell(folder, environment + " \"$PROGRAMS\"/" + command + " >" + out + " 2>" + err);
  return {code, contents(out), contents(err)};
}

TEST_CASE("Programs: --version, --help and --build-info answer on the standard output and exit with 0",
          "[e2e]") {
  const TemporaryFolder folder;
  CHECK(run(folder, "xformer-score --version").out == "xformer-score " XFORMER_VERSION "\n");
  CHECK(run(folder, "xformer-vocab train --version").out == "xformer-vocab " XFORMER_VERSION "\n");
  const Result help = run(folder, "xformer-score --help");
  CHECK(help.code == 0);
  CHECK(help.out.find("--tokenize 13a|intl|char|zh|none") != std::string::npos);
  CHECK(run(folder, "xformer-vocab --help-all").out == run(folder, "xformer-vocab --help").out);
  const Result info = run(folder, "xformer-vocab --build-info");
  CHECK(info.out.find("oneDNN") != std::string::npos);
  CHECK(info.out.find("CUDA") != std::string::npos);
}

TEST_CASE("Programs: a usage error is one line, exit code 2, nothing on the standard output", "[e2e]") {
  const TemporaryFolder folder;
  const Result typo = run(folder, "xformer-score bleu ref --lowercse");
  CHECK(typo.code == 2);
  CHECK(typo.out.empty());
  CHECK(typo.err == "error: unknown option '--lowercse'; did you mean '--lowercase'?\n");
  const Result command = run(folder, "xformer-vocab encod");
  CHECK(command.code == 2);
  CHECK(command.err.starts_with("error: xformer-vocab has no command 'encod'; did you mean 'encode'?"));
  CHECK(run(folder, "xformer-score").code == 2);
  CHECK(run(folder, "xformer-vocab train").err ==
        "error: xformer-vocab train needs --input FILE...; see xformer-vocab train --help\n");
}

TEST_CASE("Programs: missing, empty, unequal and broken files are exit code 3 and named", "[e2e]") {
  const TemporaryFolder folder;
  const std::string two = folder.write("two", "a\nb\n"), three = folder.write("three", "a\nb\nc\n");
  const std::string broken = folder.write("broken", "fine\n\xff\n"), empty = folder.write("empty", "");
  for (const std::string& bad : {folder / "missing", empty, broken, three}) {
    const Result result = run(folder, "xformer-score bleu " + two + " -i " + bad);
    INFO(bad << ": " << result.err);
    CHECK(result.code == 3);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("error: "));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(run(folder, "xformer-score bleu " + two + " -i " + broken).err.find(broken + ":2") !=
        std::string::npos);
}

TEST_CASE("xformer-score: the number, the line and the object", "[e2e]") {
  const TemporaryFolder folder;
  // A text scored against itself is a perfect translation by either metric's definition.
  const std::string text =
      folder.write("text", "The cat sat on the mat today .\nDogs bark at every passing stranger .\n");
  CHECK(run(folder, "xformer-score bleu " + text + " -i " + text + " -b -w 4").out == "100.0000\n");
  CHECK(run(folder, "xformer-score chrf " + text + " -b < " + text).out == "100.0\n");
  CHECK(run(folder, "xformer-score " + text + " -i " + text + " -m bleu chrf -b").out == "100.0\n100.0\n");
  const Result line = run(folder, "xformer-score bleu " + text + " -i " + text + " -lc");
  CHECK(line.out.starts_with(
      "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0+xformer-" XFORMER_VERSION
      " = 100.0 100.0/100.0/100.0/100.0 (BP = 1.000"));
  CHECK(run(folder, "xformer-score bleu " + text + " -i " + text, "SACREBLEU_FORMAT=json")
            .out.starts_with("{\n"));
  CHECK(run(folder, "xformer-score bleu " + text + " -i " + text + " -f text", "SACREBLEU_FORMAT=json")
            .out.starts_with("BLEU|"));
  CHECK(run(folder, "xformer-score bleu " + text + " -i " + text + " -sl -b").out == "100.0\n100.0\n");
}

TEST_CASE("xformer-score: unequal files are named with both numbers of lines", "[e2e]") {
  const TemporaryFolder folder;
  const std::string two = folder.write("two", "a\nb\n"), three = folder.write("three", "a\nb\nc\n");
  for (const std::string& systems : {three, two + " " + three}) {
    CHECK(run(folder, "xformer-score bleu " + two + " -i " + systems).err ==
          "error: " + three + " has 3 lines, the reference " + two +
              " has 2; give files of the same lines\n");
  }
}

TEST_CASE("Programs: an error is one line, whatever the file is called", "[e2e]") {
  const TemporaryFolder folder;
  const Result result = run(folder, "xformer-score bleu 'no\nsuch\x1b[file' -i /dev/null");
  CHECK(result.err.starts_with("error: no\\x0asuch\\x1b[file"));
  CHECK(std::ranges::count(result.err, '\n') == 1);
}

TEST_CASE("xformer-score: intervals and tests are refused where they have no meaning", "[e2e]") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "a b\nc\n"), b = folder.write("b", "a b\nd\n");
  const std::string score = "xformer-score " + a + " -i ";
  for (const std::string& wrong :
       {score + a + " --paired-bs", score + a + " " + b + " --confidence", score + a + " " + a,
        score + a + " " + b + " --paired-bs --paired-ar", score + a + " -sl --confidence",
        score + a + " " + b + " -sl", score + a + " -m tutorial-bleu --confidence"}) {
    INFO(wrong);
    CHECK(run(folder, wrong).code == 2);
  }
  CHECK(run(folder, score + a + " --confidence", "SACREBLEU_SEED=x").code == 2);
}

TEST_CASE("xformer-score: the seed of what is drawn is SACREBLEU_SEED, and the signature says so", "[e2e]") {
  const TemporaryFolder folder;
  const std::string hypothesis = folder.write("hypothesis", "the cat sat on a mat\na dog barks\nhe reads\n");
  const std::string reference = folder.write("reference", "the cat sat on the mat\na dog barks\nshe reads\n");
  const std::string score = "xformer-score ter " + reference + " -i " + hypothesis + " -ci -cin 50 -w 4";
  const Result first = run(folder, score), other = run(folder, score, "SACREBLEU_SEED=7");
  CHECK(first.out == run(folder, score, "SACREBLEU_SEED=12345").out);
  CHECK(first.out.find("|bs:50|seed:12345|") != std::string::npos);
  CHECK(other.out.find("|bs:50|seed:7|") != std::string::npos);
  CHECK(run(folder, score, "SACREBLEU_SEED=None").out.find("|seed:none|") != std::string::npos);
}

TEST_CASE("xformer-score: lines of several metrics are aligned, systems are a table", "[e2e]") {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "The cat sat on the mat today .\n");
  const std::string other = folder.write("other", "The cat sat on a mat today .\n");
  const Result lines = run(folder, "xformer-score " + text + " -i " + text + " -m ter chrf bleu");
  std::vector<size_t> signs;
  std::istringstream stream(lines.out);
  for (std::string line; std::getline(stream, line);) signs.push_back(line.find(" = "));
  CHECK(signs.size() == 3);
  CHECK(std::ranges::count(signs, signs.front()) == 3);
  const Result table =
      run(folder, "xformer-score ter " + text + " -i " + text + " " + other + " --paired-ar");
  CHECK(table.out.find("│ Baseline: " + text + " │") != std::string::npos);
  CHECK(table.out.find("- TER        nrefs:1|ar:10000|seed:12345|case:lc|tok:tercom") != std::string::npos);
}

TEST_CASE("xformer-vocab: encode and decode give the text back, ids and pieces, empty lines too", "[e2e]") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "A small dog runs over the green grass .\n\nThe dog barks !\n";
  const std::string text = folder.write("text", lines), model = folder / "v";
  for (const char* kind : {"spm --vocab-size 60", "icu"}) {
    const Result made =
        run(folder, "xformer-vocab train " + text + " -m " + model + " --overwrite --tokenizer " + kind);
    INFO(kind << made.err);
    REQUIRE(made.code == 0);
    for (const std::string format : {"piece", "id"}) {
      const std::string encoded = folder / "encoded";
      REQUIRE(run(folder, "xformer-vocab encode -m " + model + " -i " + text + " -o " + encoded +
                              " --format " + format)
                  .code == 0);
      CHECK(run(folder, "xformer-vocab decode -m " + model + " " + encoded + " --format " + format).out ==
            lines);
    }
  }
  const Result again = run(folder, "xformer-vocab train " + text + " -m " + model);
  CHECK(again.code == 2);
  CHECK(again.err == "error: " + model + " exists; give another name or --overwrite\n");
}

TEST_CASE("xformer-vocab: a bad id is named by line, and no half-written output stays", "[e2e]") {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a b a b\na b a b\n"), model = folder / "v",
                    out = folder / "out";
  REQUIRE(run(folder, "xformer-vocab train " + text + " -m " + model + " --tokenizer icu").code == 0);
  const std::string ids = folder.write("ids", "1 2\n1 99\n");
  const Result result =
      run(folder, "xformer-vocab decode -m " + model + " -i " + ids + " -o " + out + " --format id");
  CHECK(result.code == 3);
  CHECK(result.err.starts_with("error: " + ids + ":2: '99' is not an id of the vocabulary"));
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK_FALSE(std::filesystem::exists(out + ".tmp"));
}

TEST_CASE("xformer-explain: a page goes to its file, and what is wrong is said in a line", "[e2e]") {
  const TemporaryFolder folder;
  const std::string page = folder / "page";
  for (const std::string command : {"masks", "positions"}) {
    const Result result = run(folder, "xformer-explain " + command + " -f html -o " + page);
    CHECK(result.code == 0);
    CHECK(result.out.empty());
    CHECK(contents(page).starts_with("<!doctype html>"));
  }
  for (const std::string command :
       {"masks --source 'a 0 b' --target x --pad 0", "positions --dim 7", "attention a dog",
        "masks --source \"$(printf '\\377 a')\" --target x -f json",
        "logits -m missing \"$(printf 'A dog\\nruns')\"", "gradients --seed 2"}) {
    const Result result = run(folder, "xformer-explain " + command);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(run(folder, "xformer-explain attention -m " + folder / "missing").code == 3);
}

// What a file's name promises: SVG's and HTML's first words, JSON's bracket.
TEST_CASE("xformer-explain: a file has the format that its ending promises, or is refused", "[e2e]") {
  const TemporaryFolder folder;
  const auto in_folder = [&](std::string command) {
    return "xformer-explain " + command.replace(command.find("-o ") + 3, 0, folder / "");
  };
  const std::pair<const char*, const char*> kWritten[] = {{"tape -o t.svg", "<svg "},
                                                          {"tape -o t.SVG", "<svg "},
                                                          {"tape -o t.json", "{"},
                                                          {"tape -o t.svg -f svg", "<svg "},
                                                          {"masks -o m.html", "<!doctype"},
                                                          {"masks -o m.htm", "<!doctype"},
                                                          {"flow encoder -o f.html", "<!doctype"},
                                                          {"flow encoder -o f", "<svg "},
                                                          {"op softmax -o s.json", "{"},
                                                          {"gradients -o g.json", "{"},
                                                          {"op softmax -o s.txt", "softmax"},
                                                          {"tape -o t.log -f json", "{"}};
  for (const auto& [command, begin] : kWritten) {
    INFO(command);
    const Result result = run(folder, in_folder(command));
    CHECK(result.code == 0);
    const std::string words = command, file = words.substr(words.find("-o ") + 3);
    CHECK(contents(folder / file.substr(0, file.find(' '))).starts_with(begin));
  }
  const std::pair<const char*, const char*> kRefused[] = {
      {"tape -o no.html", "has no format html, it has text, json, svg"},
      {"op softmax -o no.svg", "has no format svg, it has text, json"},
      {"gradients -o no.svg", "has no format svg"},
      {"masks -o no.png", "has no format png"},
      {"tape -o no.pdf -f svg", "has no format pdf"},
      {"tape -o no.svg -f json", "the file would hold json, not svg"}};
  for (const auto& [command, reason] : kRefused) {
    INFO(command);
    const Result result = run(folder, in_folder(command));
    CHECK(result.code == 2);
    CHECK(result.err.find(reason) != std::string::npos);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "no.svg"));
}

TEST_CASE("xformer-vocab check: exit code 1 for what training would refuse", "[e2e]") {
  const TemporaryFolder folder;
  const std::string two = folder.write("two", "a\nb\n"), three = folder.write("three", "a\nb\nc\n");
  CHECK(run(folder, "xformer-vocab check " + two + " " + two).code == 0);
  CHECK(run(folder, "xformer-vocab check " + two + " " + three).code == 1);
}

TEST_CASE("Programs: a reader that closes the pipe ends them quietly, a full disk is exit code 5", "[e2e]") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += "a b a b a b a b\n";
  const std::string text = folder.write("text", lines), model = folder / "v", err = folder / "err";
  REQUIRE(run(folder, "xformer-vocab train " + text + " -m " + model + " --tokenizer icu").code == 0);
  const std::string encode = "\"$PROGRAMS\"/xformer-vocab encode -m " + model + " -i " + text;
  const std::string script = "( " + encode + "; echo $? >&2 ) 2>" + err + " | head -1 >/dev/null";
  CHECK(shell(folder, script) == 0);
  CHECK(contents(err) == "141\n");
  if (!std::filesystem::exists("/dev/full")) return;
  CHECK(shell(folder, encode + " >/dev/full 2>" + err) == 5);
  CHECK(contents(err) == "error: cannot write the standard output: No space left on device\n");
}

}  // namespace
}  // namespace xf::tools
