// A small checkpoint whose every part follows from its update, so that a mixture of two is seen.
#pragma once

#include <string>
#include <vector>

#include "nn/checkpoint/checkpoint.h"

namespace xf::tests {

inline nn::Checkpoint sample_checkpoint(int64_t update, size_t size = 40) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i)
    values[i] = 1.0f / static_cast<float>(update + static_cast<int64_t>(i) + 1);
  nn::Checkpoint checkpoint;
  checkpoint.update = update;
  checkpoint.model = {{"b", Tensor::from<float>({static_cast<float>(update)})}, {"w", Tensor::from(values)}};
  for (float& value : values) value *= -3.0f;
  checkpoint.optimizer = {{"m", Tensor::from(values)}};
  checkpoint.metadata = {{"note", "sample"}};
  checkpoint.state.set("update again", update);
  checkpoint.state.set("loss", 1.0 / static_cast<double>(update + 1));
  checkpoint.model_config = "dim-emb = 4\n";
  checkpoint.training_config = "update = " + std::to_string(update) + "\n";
  return checkpoint;
}

}  // namespace xf::tests
