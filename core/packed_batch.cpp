#include "core/packed_batch.h"

#include <algorithm>
#include <numeric>

namespace xf {

namespace {

struct Range {
  int32_t begin = 0, end = 0;
  int64_t length() const { return end - begin; }
};

// Tokens of sentences begin .. end-1; none of a side that the batch does not have.
Range tokens_of(const Tensor& offsets, int64_t begin, int64_t end) {
  if (!offsets.defined()) return {};
  const int32_t* const at = offsets.data<int32_t>();
  return {at[begin], at[end]};
}

int64_t longest(const Tensor& offsets, int64_t begin, int64_t end) {
  int64_t most = 0;
  for (int64_t b = begin; b < end; ++b) most = std::max(most, tokens_of(offsets, b, b + 1).length());
  return most;
}

Tensor rows(const Tensor& all, Range tokens) {
  return all.defined() ? all.slice_rows(tokens.begin, tokens.end) : Tensor();
}

Tensor offsets_of_part(const Tensor& all, int64_t begin, int64_t end) {
  if (!all.defined()) return {};
  const int32_t* const at = all.data<int32_t>();
  std::vector<int32_t> part;
  for (int64_t b = begin; b <= end; ++b) part.push_back(at[b] - at[begin]);
  return Tensor::from(part);
}

// What is sorted stays so when some of it is left out.
Tensor order_of_part(const Tensor& all, Range tokens) {
  if (!all.defined()) return {};
  std::vector<int32_t> part;
  for (const int32_t token : all.to_vector<int32_t>()) {
    if (token >= tokens.begin && token < tokens.end) part.push_back(token - tokens.begin);
  }
  return Tensor::from(part);
}

// How many sentences from `begin` on fit, at least one.
int64_t end_of_part(const PackedBatch& batch, int64_t begin, const BatchSize& largest) {
  int64_t end = begin + 1;
  const auto fits = [&](int64_t next) {
    return next - begin <= largest.sentences &&
           tokens_of(batch.source_offsets, begin, next).length() <= largest.source_tokens &&
           tokens_of(batch.target_offsets, begin, next).length() <= largest.target_tokens;
  };
  while (end < batch.sentences && fits(end + 1)) ++end;
  return end;
}

Tensor repeat(const Tensor& all, int64_t times) {
  if (!all.defined()) return {};
  const std::vector<int32_t> once = all.to_vector<int32_t>();
  std::vector<int32_t> values;
  for (int64_t k = 0; k < times; ++k) values.insert(values.end(), once.begin(), once.end());
  return Tensor::from(values);
}

Tensor repeat_offsets(const Tensor& all, int64_t times) {
  if (!all.defined()) return {};
  std::vector<int32_t> offsets = all.to_vector<int32_t>();
  const size_t sentences = offsets.size() - 1;
  for (int64_t k = 1; k < times; ++k) {
    for (size_t b = 1; b <= sentences; ++b)
      offsets.push_back(offsets[static_cast<size_t>(k) * sentences] + offsets[b]);
  }
  return Tensor::from(offsets);
}

// The order of tokens by id, of tokens that come `times` times: of equal ids those of the first
// reading, then of the next.
Tensor repeat_order(const Tensor& all, const Tensor& ids, int64_t times) {
  if (!all.defined()) return {};
  const std::vector<int32_t> order = all.to_vector<int32_t>();
  const auto* const id = ids.data<int32_t>();
  const auto tokens = static_cast<int32_t>(order.size());
  std::vector<int32_t> repeated;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && id[order[end]] == id[order[begin]]) ++end;
    for (int32_t k = 0; k < times; ++k) {
      for (size_t i = begin; i < end; ++i) repeated.push_back(order[i] + k * tokens);
    }
  }
  return Tensor::from(repeated);
}

}  // namespace

Tensor order_by_id(const std::vector<int32_t>& ids) {
  for (const int32_t id : ids) XF_CHECK(id >= 0, "batch: a token has the id {}", id);
  std::vector<int32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return ids[static_cast<size_t>(a)] < ids[static_cast<size_t>(b)];
  });
  return Tensor::from(order);
}

PackedBatch PackedBatch::to(Device device) const {
  PackedBatch there = *this;
  for (Tensor* tensor :
       {&there.source_ids, &there.source_positions, &there.source_order, &there.source_offsets,
        &there.target_in, &there.target_out, &there.target_positions, &there.target_order,
        &there.target_offsets, &there.loss_row_to_token, &there.token_to_loss_row}) {
    if (tensor->defined()) *tensor = tensor->to(device);
  }
  return there;
}

PackedBatch PackedBatch::part(int64_t begin, int64_t end) const {
  const Range source = tokens_of(source_offsets, begin, end), target = tokens_of(target_offsets, begin, end);
  return {.source_ids = rows(source_ids, source),
          .source_positions = rows(source_positions, source),
          .source_order = order_of_part(source_order, source),
          .source_offsets = offsets_of_part(source_offsets, begin, end),
          .target_in = rows(target_in, target),
          .target_out = rows(target_out, target),
          .target_positions = rows(target_positions, target),
          .target_order = order_of_part(target_order, target),
          .target_offsets = offsets_of_part(target_offsets, begin, end),
          .sentences = end - begin,
          .source_tokens = source.length(),
          .target_tokens = target.length(),
          .longest_source = longest(source_offsets, begin, end),
          .longest_target = longest(target_offsets, begin, end)};
}

PackedBatch PackedBatch::repeated(int64_t times) const {
  const auto again = [times](const Tensor& all) { return repeat(all, times); };
  return {.source_ids = again(source_ids),
          .source_positions = again(source_positions),
          .source_order = repeat_order(source_order, source_ids, times),
          .source_offsets = repeat_offsets(source_offsets, times),
          .target_in = again(target_in),
          .target_out = again(target_out),
          .target_positions = again(target_positions),
          .target_order = repeat_order(target_order, target_in, times),
          .target_offsets = repeat_offsets(target_offsets, times),
          .sentences = times * sentences,
          .source_tokens = times * source_tokens,
          .target_tokens = times * target_tokens,
          .longest_source = longest_source,
          .longest_target = longest_target};
}

std::vector<PackedBatch> cut(const PackedBatch& batch, const BatchSize& largest) {
  std::vector<PackedBatch> parts;
  for (int64_t begin = 0; begin < batch.sentences;) {
    const int64_t end = end_of_part(batch, begin, largest);
    if (begin == 0 && end == batch.sentences) return {batch};
    parts.push_back(batch.part(begin, end));
    begin = end;
  }
  return parts;
}

}  // namespace xf
