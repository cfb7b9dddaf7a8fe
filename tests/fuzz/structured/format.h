// A format of another toolkit: how a file or folder of it is made, a little damaged, and what reads
// it.
#pragma once

#include <string>

#include "tests/fuzz/structured/damage.h"

namespace xf::fuzz {

struct Format {
  const char* name;
  // Makes one in the empty folder `folder` and reads it. Throws Error as readers do,
  // std::logic_error for a promise that a reader does not keep.
  void (*make)(Damage& damage, const std::string& folder);
  void (*read)(const std::string& folder);
};

void make_marian(Damage& damage, const std::string& folder);
void make_transformers(Damage& damage,
                       const std::string& folder);  // weights as safetensors or by torch.save()
void make_ctranslate2(Damage& damage, const std::string& folder);
void make_run(Damage& damage, const std::string& folder);  // of ours
void make_sentencepiece(Damage& damage, const std::string& folder);
void make_list(Damage& damage, const std::string& folder);
void read_model(const std::string& folder);
void read_vocabulary(const std::string& folder);

}  // namespace xf::fuzz
