# The CUDA backend: kernels/cuda/ and core/cuda.cpp, compiled by nvcc for the architectures below.
if(NOT XFORMER_CUDA)
  target_compile_definitions(xf_headers INTERFACE XF_CUDA=0)
  return()
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  # Ampere and Ada, Hopper, both lines of Blackwell; as PTX, for the driver to compile at the first start, what else
  # there may be. Each costs its share of the compilation (tools/build.sh takes only what it needs).
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90 100-real 120-real)
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 knows nvcc's standards up to 17
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  set(CMAKE_CUDA_STANDARD_LATEST 20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
# For a project that requires CMake 3.25, that version's module marks nvToolsExt as deprecated, and fails where there is
# none, as in CUDA 13. In a function, which has the version to itself.
function(find_toolkit)
  set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
  find_package(CUDAToolkit REQUIRED)
  set(CUDAToolkit_LIBRARY_DIR ${CUDAToolkit_LIBRARY_DIR} PARENT_SCOPE)
endfunction()
find_toolkit()
list(APPEND CMAKE_INSTALL_RPATH ${CUDAToolkit_LIBRARY_DIR})  # where programs find cuBLASLt, which they load (core/cuda.h)
target_compile_definitions(xf_headers INTERFACE XF_CUDA=1)
target_link_libraries(xf_headers INTERFACE CUDA::cudart_static)
