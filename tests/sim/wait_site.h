// Gives the runtime's waits their place in the source without changing their signatures.
#pragma once

#include "tests/sim/site.h"

#define cudaStreamWaitEvent(...) (::xf::sim::wait_here(XF_SIM_HERE), cudaStreamWaitEvent(__VA_ARGS__))
#define cudaStreamSynchronize(...) (::xf::sim::wait_here(XF_SIM_HERE), cudaStreamSynchronize(__VA_ARGS__))
#define cudaEventSynchronize(...) (::xf::sim::wait_here(XF_SIM_HERE), cudaEventSynchronize(__VA_ARGS__))
#define cudaDeviceSynchronize() (::xf::sim::wait_here(XF_SIM_HERE), cudaDeviceSynchronize())
