#include "tools/explain/masks.h"
#include "tools/config/program_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "data/unicode.h"
#include "kernels/attention.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "tools/console/progress.h"

namespace xf::tools::explain {

namespace {

using kernels::SoftmaxMask;

// [Sq, Sk] of sentence b: 1 where p > 0.
TokenMatrix lit(const std::vector<std::string>& queries, const std::vector<std::string>& keys,
                const float* p) {
  TokenMatrix matrix{queries, keys, {}};
  for (size_t i = 0; i < queries.size() * keys.size(); ++i) matrix.values.push_back(p[i] > 0);
  return matrix;
}

std::vector<TitledMatrix> visible(const PaddedBatch& queries, const PaddedBatch& keys,
                                  const SoftmaxMask& mask) {
  const Shape shape{queries.size(), 1, queries.length(), keys.length()};
  const Tensor s = Tensor::zeros(shape, DType::f32), p = Tensor::empty(shape, DType::f32);
  kernels::softmax_forward(s, mask, p);
  std::vector<TitledMatrix> matrices;
  for (size_t b = 0; b < queries.sentences.size(); ++b) {
    const float* const first = p.data<float>() + static_cast<int64_t>(b) * queries.length() * keys.length();
    matrices.push_back(
        {fmt::format("sentence {}", b + 1), lit(queries.sentences[b], keys.sentences[b], first)});
  }
  return matrices;
}

// i32 [B, Sq, Sk]: not padding, on the axes asked for.
Tensor no_padding(const PaddedBatch& queries, const PaddedBatch& keys, bool of_query, bool of_key) {
  std::vector<int32_t> mask;
  for (size_t b = 0; b < queries.sentences.size(); ++b) {
    for (int64_t i = 0; i < queries.length(); ++i) {
      for (int64_t j = 0; j < keys.length(); ++j) {
        mask.push_back((!of_query || i < queries.lengths[b]) && (!of_key || j < keys.lengths[b]));
      }
    }
  }
  return Tensor::from(mask, {queries.size(), queries.length(), keys.length()});
}

Tensor lengths_of(const PaddedBatch& batch) { return Tensor::from(batch.lengths); }

constexpr const char *kEncoder = "encoder self-attention", *kDecoder = "decoder self-attention",
                     *kCross = "cross-attention";

MaskRule engine_rule(const PaddedBatch& source, const PaddedBatch& target) {
  return {"This engine, padded",
          "A key beyond its sentence is masked, for every query; the decoder's are causal too.",
          {{kEncoder, "nn/transformer.cpp: encoder_.forward(context, x, source, false)",
            visible(source, source, {.lengths = lengths_of(source), .mask = {}})},
           {kDecoder, "nn/transformer.cpp: self_attention.forward(pass, normed, target, true)",
            visible(target, target, {.lengths = lengths_of(target), .causal = true, .mask = {}})},
           {kCross, "nn/attention_block.cpp: attention_shape(options_, sources.max_length, false)",
            visible(target, source, {.lengths = lengths_of(source), .mask = {}})}}};
}

MaskRule both_rule(const PaddedBatch& source, const PaddedBatch& target) {
  return {"Padding on both axes",
          "Padded queries are masked as well: their rows see nothing.",
          {{kEncoder, "",
            visible(source, source, {.lengths = {}, .mask = no_padding(source, source, true, true)})},
           {kDecoder, "",
            visible(target, target,
                    {.lengths = {}, .causal = true, .mask = no_padding(target, target, true, true)})},
           {kCross, "",
            visible(target, source, {.lengths = {}, .mask = no_padding(target, source, true, true)})}}};
}

MaskRule query_rule(const PaddedBatch& source, const PaddedBatch& target) {
  return {"Target padding on the query axis",
          "The target's padding masks queries where keys were meant. Behind a sentence's end that does "
          "no harm: no causal query before it reaches the padding.",
          {{kEncoder, "",
            visible(source, source, {.lengths = {}, .mask = no_padding(source, source, false, true)})},
           {kDecoder, "",
            visible(target, target,
                    {.lengths = {}, .causal = true, .mask = no_padding(target, target, true, false)})},
           {kCross, "",
            visible(target, source, {.lengths = {}, .mask = no_padding(target, source, false, true)})}}};
}

MaskRule causal_rule(const PaddedBatch& target) {
  return {"Causal alone",
          "The lower triangle, whatever is padding.",
          {{kDecoder, "", visible(target, target, {.lengths = {}, .causal = true, .mask = {}})}}};
}

// i32 [B+1]: where the sentences begin when nothing is padded.
Tensor offsets_of(const PaddedBatch& batch) {
  std::vector<int32_t> offsets = {0};
  for (const int32_t length : batch.lengths) offsets.push_back(offsets.back() + length);
  return Tensor::from(offsets);
}

std::vector<std::string> packed_tokens(const PaddedBatch& batch) {
  std::vector<std::string> tokens;
  for (size_t b = 0; b < batch.sentences.size(); ++b) {
    tokens.insert(tokens.end(), batch.sentences[b].begin(), batch.sentences[b].begin() + batch.lengths[b]);
  }
  return tokens;
}

// [Tq, Tk]: each sentence's block of p [B, 1, Sq, Sk] at its place among the packed tokens.
TokenMatrix packed(const PaddedBatch& queries, const PaddedBatch& keys, bool causal) {
  const Tensor query_offsets = offsets_of(queries), key_offsets = offsets_of(keys);
  const auto query_tokens = packed_tokens(queries), key_tokens = packed_tokens(keys);
  const auto Tq = static_cast<int64_t>(query_tokens.size()), Tk = static_cast<int64_t>(key_tokens.size());
  const Tensor p = Tensor::empty({queries.size(), 1, queries.length(), keys.length()}, DType::f32);
  kernels::attention_weights(Tensor::zeros({Tq, 1}, DType::f32), Tensor::zeros({Tk, 1}, DType::f32),
                             query_offsets, key_offsets, {.max_keys = keys.length(), .causal = causal}, p);
  TokenMatrix matrix{query_tokens, key_tokens, std::vector<double>(static_cast<size_t>(Tq * Tk), 0.0)};
  for (size_t b = 0; b < queries.sentences.size(); ++b) {
    const int64_t first_query = query_offsets.data<int32_t>()[b], first_key = key_offsets.data<int32_t>()[b];
    for (int64_t i = 0; i < queries.lengths[b]; ++i) {
      for (int64_t j = 0; j < keys.lengths[b]; ++j) {
        const int64_t row = static_cast<int64_t>(b) * queries.length() + i;
        matrix.values[static_cast<size_t>((first_query + i) * Tk + first_key + j)] =
            p.data<float>()[row * keys.length() + j] > 0;
      }
    }
  }
  return matrix;
}

MaskRule packed_rule(const PaddedBatch& source, const PaddedBatch& target) {
  const auto use = [](const char* name, TokenMatrix matrix) {
    return MaskUse{
        name, "kernels/attention.h: query_offsets, key_offsets", {{"all tokens", std::move(matrix)}}};
  };
  return {"This engine, packed",
          "As it trains and translates: sentences one behind the other, no padding, a block for each.",
          {use(kEncoder, packed(source, source, false)), use(kDecoder, packed(target, target, true)),
           use(kCross, packed(target, source, false))}};
}

constexpr float kScores[] = {2, 1, 0.5, -1};
constexpr size_t kKeys = std::size(kScores);

std::vector<double> row_of(const Tensor& s, const Tensor& mask) {
  const Tensor p = Tensor::empty(s.shape(), DType::f32);
  kernels::softmax_forward(s, {.lengths = {}, .mask = mask}, p);
  const auto row = p.to_vector<float>();
  return {row.begin(), row.end()};
}

// The keys from `first` on have `fill` for a score, and nothing is masked.
std::vector<double> filled(float fill, size_t first) {
  std::vector<float> scores(std::begin(kScores), std::end(kScores));
  std::fill(scores.begin() + static_cast<int64_t>(first), scores.end(), fill);
  return row_of(Tensor::from(scores, {1, 1, 1, kKeys}), Tensor());
}

// The keys from `first` on are masked.
std::vector<double> masked(size_t first) {
  std::vector<int32_t> mask(kKeys, 0);
  std::fill_n(mask.begin(), first, 1);
  return row_of(Tensor::from(std::vector<float>(std::begin(kScores), std::end(kScores)), {1, 1, 1, kKeys}),
                Tensor::from(mask, {1, 1, kKeys}));
}

std::vector<MaskFill> fills() {
  std::vector<MaskFill> rows;
  for (const float fill : {-1e-12f, -1e4f, -1e9f, -std::numeric_limits<float>::infinity()}) {
    rows.push_back({fmt::format("{:g}", fill), filled(fill, kKeys / 2), filled(fill, 0)});
  }
  rows.push_back({"mask", masked(kKeys / 2), masked(0)});
  return rows;
}

// The numbers and the mask of a tutorial's demonstration, whose mask is PyTorch's.
MaskPolarity polarity() {
  const std::vector<float> numbers = {5, 6, 7, 1, 2, 3};
  const std::vector<int32_t> mask = {1, 1, 0, 0, 1, 1};
  constexpr float kFill = -1e9f;
  std::vector<float> x;
  std::vector<int32_t> keep, keep_others;
  std::vector<std::string> rows;
  for (size_t i = 0; i < mask.size(); ++i) {
    x.insert(x.end(), kKeys, numbers[i]);
    keep.insert(keep.end(), kKeys, mask[i]), keep_others.insert(keep_others.end(), kKeys, 1 - mask[i]);
    rows.push_back(fmt::format("{}.{}", i / 3 + 1, i % 3 + 1));
  }
  const std::vector<std::string> columns = {"1", "2", "3", "4"};
  const Shape shape{std::ssize(mask), kKeys};
  const auto filled = [&](const std::vector<int32_t>& kept) {
    const Tensor y = Tensor::empty(shape, DType::f32);
    kernels::masked_fill(Tensor::from(x, shape), Tensor::from(kept, shape), kFill, y);
    const auto values = y.to_vector<float>();
    return TokenMatrix{rows, columns, {values.begin(), values.end()}, -static_cast<double>(kFill)};
  };
  return {{rows, columns, {x.begin(), x.end()}, 7},
          {rows, {"mask"}, {mask.begin(), mask.end()}},
          filled(keep_others),
          filled(keep)};
}

}  // namespace

PaddedBatch padded_batch(const std::string& text, const std::string& pad) {
  PaddedBatch batch;
  size_t longest = 0;
  for (const std::string& sentence : split_all(text, ';')) {
    std::vector<std::string> words;
    for (const std::string_view word : data::split_on_space(sentence)) words.emplace_back(word);
    if (words.empty())
      fail(ErrorKind::usage, "no words in '{}' of '{}'; separate sentences with ';'", sentence, text);
    const auto length = std::ranges::find(words, pad) - words.begin();
    if (std::ranges::count(words, pad) != static_cast<int64_t>(words.size()) - length) {
      fail(ErrorKind::usage,
           "'{}': padding ({}) may stand at a sentence's end only; --pad names another word", sentence, pad);
    }
    batch.lengths.push_back(static_cast<int32_t>(length));
    longest = std::max(longest, words.size());
    batch.sentences.push_back(std::move(words));
  }
  for (auto& sentence : batch.sentences) sentence.resize(longest, pad);
  return batch;
}

Masks masks_of(const std::string& source, const std::string& target, const std::string& pad) {
  Masks masks{padded_batch(source, pad), padded_batch(target, pad), {}, fills(), polarity()};
  if (masks.source.size() != masks.target.size()) {
    fail(ErrorKind::usage, "{} and {}; give as many of both, separated by ';'",
         counted(static_cast<int64_t>(masks.source.size()), "source sentence"),
         counted(static_cast<int64_t>(masks.target.size()), "target sentence"));
  }
  masks.rules = {engine_rule(masks.source, masks.target), packed_rule(masks.source, masks.target),
                 both_rule(masks.source, masks.target), query_rule(masks.source, masks.target),
                 causal_rule(masks.target)};
  return masks;
}

std::string masks(const MasksOptions& options) {
  const bool given = !options.source.empty();
  if (given != !options.target.empty())
    fail(ErrorKind::usage, "--source without --target, or the reverse; give both, or none for an example");
  const Masks masks =
      masks_of(given ? options.source : "The cat is not hungry </s> ; It sleeps </s>",
               given ? options.target : "<s> Die Katze hat keinen Hunger ; <s> Sie schläft", options.pad);
  const std::string& format = options.format;
  if (format == "json") return to_json(masks);
  if (format == "svg") return to_svg(masks);
  return format == "html" ? to_html(masks) : to_text(masks);
}

}  // namespace xf::tools::explain
