#include "tools/app/batch_padding.h"

#include "data/word_tokenizer.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/trained_run.h"

using namespace xf;
using namespace xf::tools;

namespace {

class Padding {
 public:
  // Lines of 1, 4, 1 and 4 words on either side.
  Padding() {
    const char* const text = "a\na b c d\ne\na b c d\n";
    folder_.write("en", text);
    folder_.write("de", text);
  }
  std::string page(std::vector<std::string> words) const {
    words.insert(words.begin(), {folder_ / "en", folder_ / "de"});
    return batch_padding(xf::tests::parsed(PaddingOptions(), words));
  }
  const xf::tests::TemporaryFolder& folder() const { return folder_; }

 private:
  xf::tests::TemporaryFolder folder_;
};

}  // namespace

// With </s> 2 and 5 tokens a side: in the text's order each batch of two pads 3 of 10; sorted,
// none.
TEST_CASE("Batch padding: shares of four pairs by hand", "[golden]") {
  CHECK(Padding().page({"--mini-batch", "2", "--shuffle", "none", "--maxi-batch", "2"}) ==
        "4 pairs, batches of 2 sentences\n"
        "                       batches  smallest  largest    padding\n"
        "in the text's order          2         2        2     30.0 %\n"
        "from pools of 2              2         2        2      0.0 %\n"
        "sorted as a whole            2         2        2      0.0 %\n");
  CHECK(Padding().page({"--mini-batch", "3"}).find("in random order              2         1        3") !=
        std::string::npos);
}

TEST_CASE("Batch padding: pools of one batch sort nothing across batches, and tokens can be counted",
          "[unit]") {
  const Padding padding;
  CHECK(padding.page({"--mini-batch", "2", "--shuffle", "none", "--maxi-batch", "1"})
            .find("from pools of 1              2         2        2     30.0 %") != std::string::npos);
  // 8 target tokens allow one sentence to a batch (data/batches.h).
  CHECK(padding.page({"--mini-batch-words", "8"}).starts_with("4 pairs, batches of 8 target tokens\n"));
}

TEST_CASE("Batch padding: with a vocabulary its tokens count, and unequal files are refused", "[unit]") {
  const Padding padding;
  padding.folder().write("words.txt", "<unk>\n<pad>\n<sos>\n<eos>\na\n");
  CHECK(padding.page({"-m", padding.folder() / "words.txt"}).starts_with("4 pairs"));
  padding.folder().write("de", "a\n");
  CHECK(xf::tests::error_of([&] { padding.page({}); }).starts_with("3: "));
}
