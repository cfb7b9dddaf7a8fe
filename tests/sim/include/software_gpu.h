// What kernels/cuda/portable.cuh includes where no CUDA compiler is at work: CUDA's names inside
// kernels, and twins of the few instructions that portable.cuh writes as PTX. docs/software_gpu.md.
#pragma once

#include "cuda_runtime.h"
#include "tests/sim/launch.h"
#include "tests/sim/portable_twins.h"
