// The sizes of a model that decide the shapes of its kernels: of ours, and of language models that
// many use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xf::bench {

struct ModelSizes {
  std::string name;
  int64_t dim = 0, heads = 0, key_heads = 0, head_dim = 0, feed_forward = 0, vocabulary = 0;
  int64_t sentences = 1, length = 2048;  // of a batch, in tokens

  int64_t tokens() const { return sentences * length; }
};

// Published ones: each as its authors' config.json on huggingface.co has it (hidden_size,
// num_attention_heads, num_key_value_heads, head_dim, intermediate_size, vocab_size), with one text
// of 2048 tokens, GPT-2's longest 1024.
const std::vector<ModelSizes>& language_models();
bool is_language_model(const std::string& preset);

// Of a preset of --preset but `odd`.
ModelSizes model_sizes(const std::string& preset);

}  // namespace xf::bench
