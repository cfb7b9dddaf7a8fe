#include "tools/formats/zero_beginning.h"

#include <algorithm>

namespace xf::tools::exchange {

namespace {

// Below what any model gives a piece that it never saw, and near enough to move in training.
constexpr float kNeverChosen = -50;

// [rows, width] with another row.
Tensor extended(const Tensor& rows, float value) {
  const Tensor result = Tensor::empty({rows.rows() + 1, rows.width()}, DType::f32);
  result.slice_rows(0, rows.rows()).copy_from(rows);
  std::fill_n(result.data<float>() + rows.numel(), rows.width(), value);
  return result;
}

}  // namespace

void add_beginning(ForeignVocabulary& vocabulary) {
  std::string name = "<pad>";
  while (std::ranges::find(vocabulary.pieces, name) != vocabulary.pieces.end()) name = "<" + name + ">";
  vocabulary.pieces.push_back(name);
  vocabulary.specials.bos = vocabulary.specials.pad = name;
}

Tensor with_beginning(const Tensor& table) { return extended(table, 0); }

Tensor with_beginning_bias(const Tensor& bias) {
  return extended(bias.reshape({bias.numel(), 1}), kNeverChosen).reshape({1, bias.numel() + 1});
}

}  // namespace xf::tools::exchange
