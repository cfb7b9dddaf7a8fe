#include "tools/formats/tensor_part.h"

#include "core/error.h"

namespace xf::tools::exchange {

namespace {

// The part's rows of the tensor that it is a part of.
Tensor rows_of(const TensorPart& part, const Tensor& whole) {
  if (part.rows == 0) return whole;
  return whole.slice_rows(part.begin, part.begin + part.rows);
}

}  // namespace

Tensor transposed(const Tensor& matrix) {
  const int64_t rows = matrix.dim(0), columns = matrix.dim(1);
  const Tensor result = Tensor::empty({columns, rows}, DType::f32);
  const auto* from = matrix.data<float>();
  auto* to = result.data<float>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
  return result;
}

nn::TensorMap split(const nn::TensorMap& ours, const TensorParts& parts) {
  nn::TensorMap theirs;
  for (const TensorPart& part : parts) {
    const auto whole = ours.find(part.ours);
    XF_CHECK(whole != ours.end(), "exchange: the model has no {}", part.ours);
    const Tensor rows = rows_of(part, whole->second);
    theirs[part.foreign] = part.transposed ? transposed(rows) : rows;
  }
  return theirs;
}

nn::TensorMap joined(const TheirTensor& theirs, const TensorParts& parts, const nn::ParameterStore& store,
                     const std::string& where) {
  nn::TensorMap ours;
  for (const nn::Parameter& parameter : store.parameters())
    ours[parameter.name] = Tensor::empty(parameter.shape, DType::f32);
  int64_t filled = 0;
  for (const TensorPart& part : parts) {
    const Tensor found = theirs(part.foreign);
    const Tensor to = rows_of(part, ours.at(part.ours));
    const Tensor from = part.transposed && found.rank() == 2 ? transposed(found) : found;
    // A vector may be stored as a row.
    const bool same = from.shape() == to.shape() ||
                      (to.rank() == 1 && from.rank() == 2 && from.dim(0) == 1 && from.dim(1) == to.dim(0));
    if (!same)
      fail(ErrorKind::data, "{}: {} is {}, and the other tensors make it {}", where, part.foreign,
           from.shape().to_string(), to.shape().to_string());
    to.copy_from(from.reshape(to.shape()));
    filled += to.numel();
  }
  XF_CHECK(filled == store.count(), "exchange: {} of {} elements have a name there", filled, store.count());
  return ours;
}

}  // namespace xf::tools::exchange
