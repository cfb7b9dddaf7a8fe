# What every target of the project shares: flags, dependencies, and one function per kind of target.
include(GNUInstallDirs)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)

set(cxx_flags -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
  -Wno-restrict  # GCC 12 sees overlaps in std::string that are not there (GCC PR105651)
  -Wno-dangling-reference  # GCC 13 and 14: where a temporary is only an argument, nothing dangles (GCC PR107532)
  # Never -ffast-math: it makes isnan() false, and with it every NaN check (docs/architecture.md).
  -fno-math-errno -fno-trapping-math -ffp-contract=fast
  -fno-semantic-interposition)  # nobody replaces our functions in a shared library: inlined there as in a program
# One binary for every x86-64 processor of the last ten years: all of it for x86-64-v3, and the CPU's kernels once more
# for x86-64-v4 (kernels/CMakeLists.txt, core/processor.h).
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(XFORMER_NATIVE ON)
endif()
if(XFORMER_NATIVE)
  set(XF_ARCHITECTURE native)
  set(level_definitions XF_NATIVE=1 XF_AVX512_LEVEL=0)
else()
  set(XF_ARCHITECTURE x86-64-v3)
  set(level_definitions XF_NATIVE=0 XF_AVX512_LEVEL=1)
endif()
# A target may have an XF_ARCHITECTURE of its own.
set(own $<TARGET_PROPERTY:XF_ARCHITECTURE>)
list(APPEND cxx_flags -march=$<IF:$<BOOL:${own}>,${own},${XF_ARCHITECTURE}>)
set(cuda_flags --expt-relaxed-constexpr -DFMT_USE_CONSTEXPR=1 -Werror=all-warnings -Xcompiler=-Wall,-Wextra)

# What whoever includes our headers needs, in this build or from where it was installed.
add_library(xf_headers INTERFACE)
target_compile_features(xf_headers INTERFACE cxx_std_20)
target_include_directories(xf_headers INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(xf_headers INTERFACE XFORMER_VERSION="${PROJECT_VERSION}" ${level_definitions})
target_link_libraries(xf_headers INTERFACE OpenMP::OpenMP_CXX fmt::fmt)

# How this build compiles and links; not pushed on to those who use what it installs.
add_library(xf_flags INTERFACE)
target_compile_options(xf_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${cxx_flags}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>" $<$<CONFIG:Release>:-O3>)
if(NOT XFORMER_NATIVE)
  target_link_options(xf_flags INTERFACE -Wl,-z,x86-64-v3)  # the loader refuses an older processor, in a line
endif()
if(XFORMER_SANITIZE)
  target_compile_options(xf_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer
    -Wno-maybe-uninitialized)  # GCC 12 sees them in Catch once it is instrumented
  target_link_options(xf_flags INTERFACE -fsanitize=address,undefined)
endif()

# A room of the house: every .cpp below the folder, into the static library xf_<name>. What lies in a folder with a CMakeLists.txt
# of its own is another room's. Whom a room may include: tests/check_layout.cmake.
function(xf_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB rooms CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(room ${rooms})
    get_filename_component(folder ${room} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  add_library(xf_${name} STATIC ${sources})
  target_link_libraries(xf_${name} PUBLIC $<BUILD_INTERFACE:xf_flags> xf_headers ${ARGN})
  set_target_properties(xf_${name} PROPERTIES OUTPUT_NAME xformer_${name} EXPORT_NAME ${name})
endfunction()

# Leaves the sources below a path of the room out of its library.
function(xf_leave_out name path)
  get_target_property(sources xf_${name} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/${name}/${path}")
  set_target_properties(xf_${name} PROPERTIES SOURCES "${sources}")
endfunction()

# What computes little: the programs' options, pages and files, and the tests. They wait for the compiler longer than for
# their own loops. Linked last: of several levels the last one counts.
add_library(xf_quickly_compiled INTERFACE)
target_compile_options(xf_quickly_compiled INTERFACE $<$<CONFIG:Release>:-O1>)

# What most files include, parsed once for all targets with the same flags: `owner` makes it, the others name it. Not for what is
# compiled with -O3: there GCC 12 sees overflows in a precompiled std::string that are not there.
function(xf_precompiled_headers target owner)
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstdint> <functional> <map> <memory> <optional>
      <string> <string_view> <vector> <fmt/format.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
endfunction()

# What a test of the CPU and of the programs has in its environment: it sees no GPU, so that it is the same test where there is one.
set(XF_WITHOUT_GPU CUDA_VISIBLE_DEVICES=)

# Whether a test is left out of this build: one whose script or page has a word of what only a build with the tutorials has.
# Configuring names each.
function(xf_needs_tutorials path result)
  set(${result} OFF PARENT_SCOPE)
  set(words "quirk|tutorials/|docs/tutorials|spacy|tutorial-bleu|teacher-forced|format tutorial|vocab field|explain steps")
  file(STRINGS ${path} lines REGEX "${words}" LIMIT_COUNT 1)
  if(lines AND NOT XFORMER_TUTORIALS)
    message(STATUS "Left out without tutorials: the test of ${path}")
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# Tests of one folder, into <folder>_tests; a test's tag ([unit], [grad], [golden], [e2e], [slow]) is its ctest label.
# [device] beside it: the test goes through all targets (tests/support/targets.h), and runs a second time, labelled cuda,
# where the build has CUDA; [cuda]: it runs only there. tests/sim runs both on the software GPU.
# A test that cannot run prints "[skipped] why" and returns: ctest then says Skipped.
function(xf_tests folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_tests ${sources})
  target_link_libraries(${folder}_tests PRIVATE xf_test_main ${ARGN} xf_quickly_compiled)
  if(folder STREQUAL "core")  # parsed once for all: a quarter of the time that the compiler takes for a test
    target_precompile_headers(core_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/catch.h
      <algorithm> <cmath> <filesystem> <map> <string> <vector>)
  else()
    target_precompile_headers(${folder}_tests REUSE_FROM core_tests)
  endif()
  target_compile_options(${folder}_tests PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  foreach(label unit grad golden e2e book slow)
    set(tagged "")
    foreach(source ${sources})
      file(STRINGS ${source} lines REGEX "\\[${label}\\]\"" LIMIT_COUNT 1)
      list(APPEND tagged ${lines})
    endforeach()
    if(tagged)
      catch_discover_tests(${folder}_tests TEST_SPEC "[${label}]" TEST_PREFIX "${folder}: "
        PROPERTIES LABELS ${label} ENVIRONMENT ${XF_WITHOUT_GPU} SKIP_REGULAR_EXPRESSION "\\[skipped\\]")
    endif()
  endforeach()
  if(XFORMER_CUDA)
    catch_discover_tests(${folder}_tests TEST_SPEC "[device],[cuda]" TEST_PREFIX "cuda: ${folder}: "
      PROPERTIES LABELS cuda ENVIRONMENT XF_TEST_DEVICE=cuda SKIP_REGULAR_EXPRESSION "\\[skipped\\]")
  endif()
endfunction()
