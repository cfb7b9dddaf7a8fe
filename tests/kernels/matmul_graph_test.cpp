// Products in a captured graph, where there is CUDA. Expectation: the bits of a product without
// one.
#if XF_CUDA

#include <cmath>

#include "core/cuda.h"
#include "kernels/matmul.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

TEST_CASE("Matmul: a graph captures products that were seen before, and refuses new ones", "[unit][device]") {
  for (const Target& t : targets()) {
    if (t.device == Device::cpu()) continue;
    INFO(name_of(t));
    const Tensor a = t.random({31, 19}, 1), b = t.random({19, 23}, 2), unseen = t.random({19, 29}, 3);
    const Tensor eager = t.poisoned({31, 23}), replayed = t.poisoned({31, 23}), c = t.poisoned({31, 29});
    matmul(a, Transpose::no, b, Transpose::no, Accumulate::no, eager);
    cuda::check(cudaStreamBeginCapture(cuda::stream(), cudaStreamCaptureModeGlobal), "begin");
    matmul(a, Transpose::no, b, Transpose::no, Accumulate::no, replayed);
    CHECK_THROWS_WITH(matmul(a, Transpose::no, unseen, Transpose::no, Accumulate::no, c),
                      Catch::Contains("new to a graph that is being captured"));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaStreamEndCapture(cuda::stream(), &graph), "end");
    cuda::check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
    CHECK(std::isnan(as_doubles(replayed).front()));
    cuda::check(cudaGraphLaunch(executable, cuda::stream()), "launch");
    CHECK(same_bits(eager, replayed));
    cuda::check(cudaGraphExecDestroy(executable), "destroy");
    cuda::check(cudaGraphDestroy(graph), "destroy");
    // Refused then, at home now.
    CHECK_NOTHROW(matmul(a, Transpose::no, unseen, Transpose::no, Accumulate::no, c));
  }
}
#endif
