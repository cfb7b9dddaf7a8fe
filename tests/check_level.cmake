# The object with the CPU's kernels for AVX-512 (kernels/CMakeLists.txt) offers nothing to a linker but the backend's
# functions at that level. Any other name, an inline function of the standard library say, could be chosen for the whole
# program, and then other processors could not run it.
#   cmake -D NM=nm -D OBJECT=kernels_avx512.o -P tests/check_level.cmake
execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${OBJECT} OUTPUT_VARIABLE names
  RESULT_VARIABLE code)
string(REGEX REPLACE "\n$" "" names "${names}")
string(REPLACE "\n" ";" names "${names}")
list(LENGTH names count)
if(NOT code EQUAL 0 OR count LESS 40)
  message(FATAL_ERROR "${OBJECT} offers ${count} names: this cannot be the kernels")
endif()
list(FILTER names EXCLUDE REGEX "LNS_8CpuLevelE1E")
if(names)
  message(FATAL_ERROR "names that are not of the level: ${names}")
endif()
