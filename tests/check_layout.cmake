# The house rules that a compiler does not see: who may include whom, where CUDA headers may stand, and which files an
# op consists of (docs/architecture.md).
#   cmake -D ROOT=. -P tests/check_layout.cmake
# Prints a line for each violation; fails if there is any.
cmake_minimum_required(VERSION 3.25)

set(folders core kernels autograd nn data tools bench python tests)

# The rooms, each with those that it may include besides itself. A folder without a line is part of the one above it.
set(rooms core core/dist kernels autograd nn nn/quirks nn/train nn/checkpoint nn/decode data data/score tools bench python tests)
set(may_include_core/dist core)
set(may_include_kernels core)
set(may_include_autograd kernels core)
set(may_include_nn autograd kernels core core/dist)
set(may_include_nn/quirks nn autograd kernels core core/dist)
set(may_include_nn/checkpoint nn core)
set(may_include_nn/train nn nn/checkpoint autograd kernels core core/dist)
set(may_include_nn/decode nn autograd kernels core)
set(may_include_data core)
set(may_include_data/score data core)
set(below_tools core core/dist kernels autograd nn nn/quirks nn/train nn/checkpoint nn/decode data data/score)
set(may_include_tools ${below_tools})
set(may_include_bench tools ${below_tools} tests/cases tests/support)
set(may_include_python tools kernels core)
set(may_include_tests ${rooms})

# Arrows that run up, each as FILE>HEADER. The list is to end empty.
set(exceptions
  "nn/model.cpp>nn/quirks/padded_model.h" "nn/transformer_config.h>nn/quirks/quirks.h")

set(helpers checks)   # kernels/foo.h that is no op
set(compositions linear)  # ops made of other ops: nothing of their own in a backend
set(obvious elementwise linear sort)  # a line each, or the standard library's: no plain kernel

set(cuda_header "^(cuda|cublas|cub/|thrust/|cooperative_groups|nccl|nvtx|driver_types|device_launch|vector_types)")
set(violations 0)

macro(report text)
  message("${text}")
  math(EXPR violations "${violations} + 1")
endmacro()

function(includes_of path result)
  file(STRINGS ${ROOT}/${path} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  list(TRANSFORM lines REPLACE "^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]*).*" "\\1")
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# The room that a file is in: of the folders that follow, the longest that it lies in; "" for a file of others.
function(room_of path result)
  set(${result} "" PARENT_SCOPE)
  set(longest 0)
  foreach(room ${ARGN})
    string(LENGTH ${room} length)
    if(path MATCHES "^${room}/" AND length GREATER longest)
      set(longest ${length})
      set(${result} ${room} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(core_headers_with_cuda "")
foreach(folder ${folders})
  file(GLOB_RECURSE paths RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.cu
       ${ROOT}/${folder}/*.cuh)
  foreach(path ${paths})
    includes_of(${path} headers)
    room_of(${path} room ${rooms})
    foreach(header ${headers})
      room_of(${header} its_room ${rooms})
      room_of(${header} allowed ${room} ${may_include_${room}})
      if(its_room AND NOT its_room STREQUAL room AND NOT its_room STREQUAL allowed AND NOT allowed MATCHES "^tests/"
         AND NOT "${path}>${header}" IN_LIST exceptions)
        report("${path}: includes ${header}, but ${room}/ may include only ${room} ${may_include_${room}}")
      endif()
      if(path MATCHES "^kernels/cpu/" AND header MATCHES "^kernels/cuda/")
        report("${path}: a backend never includes the other one (${header})")
      elseif(path MATCHES "^kernels/cuda/" AND header MATCHES "^kernels/cpu/")
        report("${path}: a backend never includes the other one (${header})")
      endif()
      if(path MATCHES "\\.h$" AND header MATCHES "${cuda_header}" AND NOT path MATCHES "^kernels/cuda/|^tests/sim/")
        if(folder STREQUAL core)
          list(APPEND core_headers_with_cuda ${path})
        else()
          report("${path}: includes the CUDA header ${header}; only kernels/cuda/ and one header in core/ may")
        endif()
      endif()
    endforeach()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES core_headers_with_cuda)
list(LENGTH core_headers_with_cuda count)
if(count GREATER 1)
  report("core/: only one header may include CUDA's, and ${count} do: ${core_headers_with_cuda}")
endif()

function(names_in pattern result)
  file(GLOB paths RELATIVE ${ROOT} ${ROOT}/${pattern})
  list(TRANSFORM paths REPLACE ".*/([^/.]*)\\.[a-z]*$" "\\1")
  set(${result} "${paths}" PARENT_SCOPE)
endfunction()

names_in(kernels/*.h ops)
list(REMOVE_ITEM ops ${helpers})
foreach(op ${ops})
  set(files kernels/${op}.cpp tests/cases/${op}.h tests/kernels/${op}_test.cpp)
  if(NOT op IN_LIST obvious)
    list(APPEND files kernels/plain/${op}.h)
  endif()
  if(NOT op IN_LIST compositions)
    list(APPEND files kernels/cpu/${op}.cpp)
  endif()
  foreach(file ${files})
    if(NOT EXISTS ${ROOT}/${file})
      report("kernels/${op}.h: the op has no ${file}")
    endif()
  endforeach()
endforeach()

# A large backend has several files: attention.cpp, attention_long.cpp, ...
foreach(pattern kernels/*.cpp kernels/cpu/*.cpp kernels/cuda/*.cu)
  names_in(${pattern} names)
  foreach(name ${names})
    set(owner "")
    foreach(op ${ops} ${helpers})
      if(name MATCHES "^${op}(_|$)")
        set(owner ${op})
      endif()
    endforeach()
    if(NOT owner)
      report("${pattern}: ${name} belongs to no contract kernels/${name}.h")
    endif()
  endforeach()
endforeach()

# CMake's lists would join or split such tests, and ctest would run a filter that matches nothing.
file(GLOB_RECURSE paths RELATIVE ${ROOT} ${ROOT}/tests/*_test.cpp)
foreach(path ${paths})
  file(READ ${ROOT}/${path} text)
  if(text MATCHES "TEST_CASE\\(\"([^\"\n]*[][;][^\"\n]*)\"")
    report("${path}: the name of a test has a bracket or a semicolon: ${CMAKE_MATCH_1}")
  endif()
endforeach()

if(violations GREATER 0)
  message(FATAL_ERROR "${violations} violations of the layout")
endif()
