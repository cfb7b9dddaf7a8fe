#include "tools/config/shared_options.h"

namespace xf::tools {

void list_compute(ComputeOptions& o, OptionList& list) {
  list.add(o.device, "device", "auto|cpu|cuda[:N]",
           "where to compute; auto: on the first CUDA device that can be used, else the CPU")
      .of_ranks(AmongRanks::own);
  list_threads(o, list);
}

void list_threads(ComputeOptions& o, OptionList& list) {
  list.add(o.cpu_threads, "cpu-threads", "N", "0: as many as OMP_NUM_THREADS says, or this process may use")
      .between(0, 1024)
      .of_ranks(AmongRanks::own);
}

void list_precision(ComputeOptions& o, OptionList& list) {
  list.add_choice(o.precision, "precision", "float32|tf32|bfloat16|int8",
                  "of weights and activations; tf32: float32, but for CUDA's products; "
                  "int8: on the CPU, matrices and what they multiply are rounded to 8 bits; "
                  "default: int8 for a model of xformer-export quantize, else float32");
}

void list_page(PageOptions& o, OptionList& list, std::string_view formats) {
  list.add_choice(o.format, "format", formats, "form of the output; default: what the file's ending says")
      .alias("-f");
  list.add(o.output, "output", "FILE", "-: standard output").alias("-o");
}

}  // namespace xf::tools
