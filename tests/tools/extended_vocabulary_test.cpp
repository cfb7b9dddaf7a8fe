// More pieces for a pretrained vocabulary. As users do it: tests/e2e/fine_tuning.sh.
#include "tools/app/extended_vocabulary.h"

#include <algorithm>
#include <numeric>

#include "core/file.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/vocabularies.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/thread_ranks.h"

using namespace xf;
using namespace xf::tools;
using xf::tests::error_of;

namespace {

const std::vector<std::string> kPieces = {"<tag>", "▁haus"};

data::Vocabularies learnt() {
  const std::vector<std::string> lines = {"ein hund und ein haus am see", "das haus und der see", "ein see"};
  const std::shared_ptr<const data::Tokenizer> both =
      data::make_sentencepiece_tokenizer(data::train_bpe({&lines}, {.vocab_size = 24}), "learnt");
  return {both, both};
}

std::vector<std::string> cut(const data::Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> pieces;
  for (const int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

}  // namespace

TEST_CASE("Extended vocabulary: new pieces come last, and are found wherever they stand", "[unit]") {
  const data::Vocabularies before = learnt(), after = extended(before, kPieces);
  CHECK(after.joint());
  CHECK(after.source->size() == before.source->size() + 2);
  for (int32_t id = 0; id < before.source->size(); ++id)
    CHECK(after.source->piece(id) == before.source->piece(id));
  CHECK(after.source->piece(before.source->size()) == "<tag>");
  const std::vector<std::string> pieces = cut(*after.source, "ein<tag> haus");
  CHECK(std::ranges::count(pieces, "<tag>") == 1);
  CHECK(std::ranges::count(pieces, "▁haus") == 1);
  CHECK(after.source->decode(after.source->encode("ein<tag> haus")) == "ein<tag> haus");
  CHECK(after.checksum() != before.checksum());
  CHECK(error_of([&] { extended(after, kPieces); }) ==
        "2: extend-vocab: the model's vocabulary: has the piece '<tag>' already; leave it out");
}

TEST_CASE("Extended vocabulary: a new row is the mean of those that stood for it", "[unit]") {
  const data::Vocabularies before = learnt();
  const int64_t V = before.source->size(), D = 2;
  nn::ParameterStore store;
  const nn::Parameter& table = store.add("embedding.weight", {V + 2, D}, nn::Init::normal(1));
  const nn::Parameter& bias = store.add("output.bias", {V + 2}, nn::Init::normal(1));
  const nn::Parameter& other = store.add("encoder.norm.weight", {V + 2}, nn::Init::normal(1));
  store.mark_embedding_table(table);
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::no);
  store.initialise(1);
  const auto rows = table.master.to_vector<float>(), biases = bias.master.to_vector<float>(),
             others = other.master.to_vector<float>();
  begin_new_rows(nn::model_of(store), store, before, kPieces);
  const std::vector<int32_t> ids = before.source->encode(" haus");
  REQUIRE(!ids.empty());
  for (int64_t j = 0; j < D; ++j) {
    double sum = 0;
    for (const int32_t id : ids) sum += static_cast<double>(rows[static_cast<size_t>(id * D + j)]);
    CHECK(table.master.data<float>()[(V + 1) * D + j] ==
          Approx(sum / static_cast<double>(ids.size())).epsilon(1e-6));
  }
  double sum = 0;
  for (const int32_t id : ids) sum += static_cast<double>(biases[static_cast<size_t>(id)]);
  CHECK(bias.master.data<float>()[V + 1] == Approx(sum / static_cast<double>(ids.size())).epsilon(1e-6));
  CHECK(table.master.slice_rows(0, V).to_vector<float>() ==
        std::vector<float>(rows.begin(), rows.begin() + V * D));
  CHECK(other.master.to_vector<float>() == others);
}

TEST_CASE("Extended vocabulary: ranks that keep a piece of the masters each begin with the same rows",
          "[unit]") {
  const data::Vocabularies before = learnt();
  const int64_t V = before.source->size(), D = 2;
  std::vector<float> counting(static_cast<size_t>(V * D));
  std::iota(counting.begin(), counting.end(), 0.0f);
  const nn::TensorMap from = {{"embedding.weight", Tensor::from(counting, {V, D})}};
  const auto begun_by = [&](Collective& ranks) {
    nn::ParameterStore store(DType::bf16);
    store.mark_embedding_table(store.add("embedding.weight", {V + 2, D}, nn::Init::zeros()));
    store.allocate(Device::cpu(), nn::ParameterStore::Gradients::yes, ranks);
    begin_new_rows(from, store, before, kPieces);
    std::vector<float> values;
    for (const bf16 value : store.values().to_vector<bf16>()) values.push_back(static_cast<float>(value));
    return std::pair{values, store.masters().to_vector<float>()};
  };
  const auto [values, masters] = begun_by(Collective::alone());
  std::vector<std::vector<float>> of_ranks(2), pieces(2);
  tests::as_ranks(2, [&](Collective& ranks) {
    const auto r = static_cast<size_t>(ranks.rank());
    std::tie(of_ranks[r], pieces[r]) = begun_by(ranks);
  });
  CHECK(of_ranks == std::vector(2, values));
  CHECK(pieces[0].size() < masters.size());
  pieces[0].insert(pieces[0].end(), pieces[1].begin(), pieces[1].end());
  pieces[0].resize(masters.size());
  CHECK(pieces[0] == masters);
}

TEST_CASE("Extended vocabulary: a file is read as text is, and has each piece once", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "pieces";
  const auto of = [&](const std::string& text) {
    atomic_write(path, text);
    return read_pieces(path, {.lowercase = true});
  };
  CHECK(of(" haus\n<tag>") == std::vector<std::string>{"▁haus", "<tag>"});
  CHECK(of("\xEF\xBB\xBF<TAG>\r\nu\u0308ber\r\n") == std::vector<std::string>{"<tag>", "über"});
  CHECK(error_of([&] { of("a\n\xFC\n"); }).starts_with("3: " + path + ":2: invalid UTF-8 at byte 1"));
  CHECK(error_of([&] { of("a\n\nb\n"); }) ==
        "3: " + path + ":2: an empty line; give each piece once, one per line");
  CHECK(error_of([&] { of("a\n\u00A0\u200B\n"); }) ==
        "3: " + path + ":2: U+00A0 U+200B alone, which is invisible; give each piece once, one per line");
  CHECK(error_of([&] { of("a\na\n"); }) ==
        "3: " + path + ":2: 'a' is a repetition; give each piece once, one per line");
  CHECK(error_of([&] { of(""); }) == "3: " + path + ": no piece in it; give one a line");
}
