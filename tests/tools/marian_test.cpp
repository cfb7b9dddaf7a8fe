// Marian's files: arrays of NumPy, options and vocabularies in YAML, and what is no model of this
// engine. Whole models, against a forward pass in NumPy (tests/golden/make_marian_npz.py):
// tests/e2e/exchange.sh.
#include "tools/formats/marian.h"

#include "core/mapped_file.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tools/formats/marian_options.h"
#include "tools/formats/npz_file.h"
#include "tools/formats/yaml.h"

using namespace xf;
using namespace xf::tools::exchange;
using xf::tests::error_of;

namespace {

// Written by NumPy: see each test.
std::string npz(const std::string& name) {
  return tests::source_folder() + "/tests/fuzz/corpus/npz_file/" + name;
}

std::vector<float> values(const std::string& file, const std::string& name) {
  return f32_values(npz_arrays(npz(file)).arrays.at(name), name).to_vector<float>();
}

std::string refusal(const std::string& options) {
  return error_of([&] { MarianOptions(options, "model.yml").config(); });
}

constexpr const char* kOptions =
    "type: transformer\ntransformer-ffn-activation: swish\ntransformer-preprocess: \"\"\n"
    "transformer-postprocess: dan\ntransformer-postprocess-emb: d\nenc-depth: 6\ndec-depth: 2\n"
    "transformer-tied-layers:\n  []\nvocabs:\n  - a.spm\n  - b.spm\nmax-length: 100\n";

}  // namespace

// numpy.arange(6).reshape(2, 3) of several types; scalars; deflated; a header of version 2.
TEST_CASE("NumPy: arrays are read as NumPy wrote them", "[unit]") {
  const std::vector<float> counted = {0, 1, 2, 3, 4, 5};
  CHECK(values("types", "f4") == counted);
  CHECK(values("types", "f2") == counted);
  CHECK(values("version_2", "x") == counted);
  CHECK(values("types", "one") == std::vector<float>{1.5f});
  CHECK(npz_arrays(npz("types")).arrays.at("f4").shape == std::vector<int64_t>{2, 3});
  CHECK(npz_arrays(npz("types")).arrays.at("none").shape.empty());
  CHECK(values("deflated", "x") == std::vector<float>(600, 0.0f));
  const std::string path = npz("columns");
  CHECK(error_of([&] { npz_arrays(path); }) ==
        "3: " + path + ": x: its matrix lies column by column; save it again with numpy.savez");
  CHECK_THAT(error_of([&] { npz_arrays(npz("big_endian")); }), Catch::Contains("its numbers are '>f4'"));
  CHECK_THAT(error_of([&] { npz_arrays(npz("too_short")); }),
             Catch::Contains("its numbers do not fill its shape"));
}

TEST_CASE("YAML: options and pieces are read as Marian writes them", "[unit]") {
  const auto options = parse_yaml_options(MappedFile(npz("options.yml")).bytes(), "options.yml");
  CHECK(options.at("type") == std::vector<std::string>{"transformer"});
  CHECK(options.at("vocabs") == std::vector<std::string>{"a.spm", "b\"c.spm"});
  CHECK(options.at("transformer-tied-layers").empty());
  CHECK(options.at("dim-vocabs") == std::vector<std::string>{"3", "4"});
  CHECK(parse_yaml_pieces("</s>: 0\n<unk>: 1\n\"\\\"\": 2\n'~': 3\n", "vocab.yml") ==
        std::vector<std::string>{"</s>", "<unk>", "\"", "~"});
  CHECK(error_of([] { parse_yaml_pieces("a: 0\nb: 0\n", "vocab.yml"); }) ==
        "3: vocab.yml: the ids are not 0 to 1, each once: see '0'");
  CHECK(error_of([] {
          parse_yaml_pieces("a: [", "vocab.yml");
        }).starts_with("3: vocab.yml: not valid YAML: line "));
  CHECK(error_of([] { parse_yaml_options("- a\n", "model.yml"); }) ==
        "3: model.yml: not names with values; copy it again");
}

TEST_CASE("Marian: options say what the model is, and refuse by name what is none of this engine's",
          "[unit]") {
  const nn::TransformerConfig config = MarianOptions(kOptions, "model.yml").config();
  CHECK(config.encoder_layers == 6);
  CHECK(config.decoder_layers == 2);
  CHECK(config.dim == 512);
  CHECK(config.norm == nn::NormPlacement::post);
  CHECK(config.activation == kernels::Activation::swish);
  CHECK(config.positions == kernels::PositionLayout::marian);
  const auto with = [](const std::string& line) { return refusal(std::string(kOptions) + line + "\n"); };
  CHECK(refusal("type: s2s\n") ==
        "2: model.yml: type is 's2s'; Transformers that translate, of type transformer, are read");
  for (const auto& [line, words] :
       {std::pair{"transformer-decoder-autoreg: rnn", "transformer-decoder-autoreg is 'rnn'"},
        {"transformer-decoder-autoreg: average-attention",
         "transformer-decoder-autoreg is 'average-attention'"},
        {"transformer-ffn-depth: 3", "transformer-ffn-depth is '3'"},
        {"transformer-decoder-ffn-depth: 3",
         "transformer-decoder-ffn-depth is '3'; feed-forward blocks of this engine have two layers"},
        {"transformer-decoder-dim-ffn: 99", "is '99'; models of this engine have one width for both sides"},
        {"transformer-postprocess-top: n", "are '', 'an' and 'n'; models of this engine are post-norm"},
        {"transformer-train-positions: true", "transformer-train-positions is 'true'"},
        {"transformer-pool: true", "transformer-pool is 'true'"},
        {"lemma-dim-emb: 64", "lemma-dim-emb is '64'"},
        {"right-left: true", "right-left is 'true'"}}) {
    CHECK_THAT(with(line), Catch::StartsWith("2: model.yml: "));
    CHECK_THAT(with(line), Catch::Contains(words));
  }
  CHECK_THAT(refusal("type: transformer\ntransformer-postprocess: dan\ntransformer-ffn-activation: gelu\n"),
             Catch::Contains("transformer-ffn-activation is 'gelu'; relu and swish are read"));
  CHECK_THAT(refusal("type: transformer\ntransformer-postprocess: dan\nvocabs: [a.fsv, b.spm]\n"),
             Catch::Contains("no factored vocabularies"));
  CHECK_THAT(refusal("type: transformer\ntransformer-postprocess: dan\ntransformer-tied-layers: [1, 1]\n"),
             Catch::Contains("transformer-tied-layers"));
  CHECK_THAT(refusal("type: transformer\ntransformer-postprocess: dan\ntransformer-heads: many\n"),
             Catch::StartsWith("3: model.yml: transformer-heads is 'many', which is not a number"));
}

// src/common/config_parser.cpp of Marian: the options of marian-decoder and what they are where
// nobody sets them.
TEST_CASE("Marian: options of a search that is not read are named, and those without effect are not",
          "[unit]") {
  const auto other = [](const std::string& yaml) {
    return MarianOptions(yaml, "decoder.yml").other_search();
  };
  CHECK(other("beam-size: 6\nnormalize: 0.6\nword-penalty: 0\nallow-unk: false\nmax-length: 1000\n"
              "max-length-crop: false\nmax-length-factor: 3.0\noutput-sampling: []\nshortlist:\n  []\n"
              "n-best: false\nmini-batch: 1\n")
            .empty());
  CHECK(
      other("max-length-factor: 1\nword-penalty: 0.5\nallow-unk: true\nmax-length: 5\nmax-length-crop: true\n"
            "output-sampling:\n  - full\nshortlist: [lex.s2t, 100]\n") ==
      std::vector<std::string>{"word-penalty", "max-length", "max-length-crop", "max-length-factor",
                               "shortlist", "allow-unk (here --allow-unk)",
                               "output-sampling (here --output-sampling)"});
}
