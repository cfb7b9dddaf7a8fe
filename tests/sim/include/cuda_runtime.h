// The runtime's host functions and what a .cu file calls inside a kernel, for the software GPU.
#pragma once

#include "cuda_runtime_api.h"
#include "tests/sim/device.h"
