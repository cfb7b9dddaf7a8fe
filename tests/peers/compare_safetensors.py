#!/usr/bin/env python3
"""Does xformer-export read what the reference implementation of safetensors reads, and refuse what it refuses?

    pip install safetensors && python compare_safetensors.py PROGRAMS FOLDER [RANDOM_FILES, 200]

Files: those of the reference's own tests (safetensors/src/tensor.rs and bindings/python/tests of
https://github.com/huggingface/safetensors, Apache 2.0); variants of a file, one rule or habit changed in each; files that the
reference wrote, of all its types; and random changes of bytes. Each is read by both, and names, types and shapes are
compared. Prints a line for each kind of file and exits with 1 where they disagree.
"""
import concurrent.futures
import ctypes
import json
import pathlib
import random
import struct
import subprocess
import sys

import safetensors

programs, folder = sys.argv[1], pathlib.Path(sys.argv[2])
random_files = int(sys.argv[3]) if len(sys.argv) > 3 else 200
BITS = dict(BOOL=8, F4=4, F6_E2M3=6, F6_E3M2=6, U8=8, I8=8, F8_E5M2=8, F8_E4M3=8, F8_E8M0=8, F8_E4M3FNUZ=8, F8_E5M2FNUZ=8, I16=16,
            U16=16, F16=16, BF16=16, I32=32, U32=32, F32=32, C64=64, F64=64, I64=64, U64=64)
failures = 0


def file_of(header, data=b""):
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header)) + header + data


# Bytes of the reference's tests, by the name of the test.
I32 = b'{"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}}'
ZEROS = b"\0" * 16
OWN = {
    "empty_shapes_allowed": b'8\0\0\0\0\0\0\0{"test":{"dtype":"I32","shape":[],"data_offsets":[0,4]}}\0\0\0\0',
    "deserialization": b"<\0\0\0\0\0\0\0" + I32 + ZEROS,
    "metadata_incomplete_buffer, too long": b"<\0\0\0\0\0\0\0" + I32 + ZEROS + b"extra_bogus_data_for_polyglot_file",
    "metadata_incomplete_buffer, too short": b"<\0\0\0\0\0\0\0" + I32 + ZEROS[:14],
    "header_too_large": b"<\0\0\0\0\xff\xff\xff" + I32 + ZEROS,
    "header_too_small": b"",
    "invalid_header_length": b"<\0\0\0\0\0\0\0",
    "invalid_header_non_utf8": b"\1\0\0\0\0\0\0\0\xff",
    "invalid_header_not_json": b"\1\0\0\0\0\0\0\0{",
    "whitespace_padded_header": b"\6\0\0\0\0\0\0\0{}\x0d\x20\x09\x0a",
    "whitespace_leading_padded_header": b"\6\0\0\0\0\0\0\0\x09\x0a{}\x0d\x20",
    "zero_sized_tensor": b'<\0\0\0\0\0\0\0{"test":{"dtype":"I32","shape":[2,0],"data_offsets":[0, 0]}}',
    "invalid_info": b'<\0\0\0\0\0\0\0{"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0, 4]}}',
    "validation_overflow, extents": b'O\0\0\0\0\0\0\0{"test":{"dtype":"I32","shape":[2,18446744073709551614],"data_offsets":[0,16]}}' + ZEROS,
    "validation_overflow, bytes": b'N\0\0\0\0\0\0\0{"test":{"dtype":"I32","shape":[2,9223372036854775807],"data_offsets":[0,16]}}' + ZEROS,
    "json_attack": file_of(json.dumps({f"weight_{i}": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]} for i in range(10)}), ZEROS),
    "empty": b"\x08\0\0\0\0\0\0\0{}      ",
    "empty, metadata": b'(\0\0\0\0\0\0\0{"__metadata__":{"framework":"pytorch"}}',
    "serialization_fp4": b'@\0\0\0\0\0\0\0{"attn.0":{"dtype":"F4","shape":[1,2],"data_offsets":[0,1]}}    \0',
    "forced_alignement": b'H\0\0\0\0\0\0\0{"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}       ' + b"\0" * 24,
    "test_simple.py, truncated file": b"\x08\0\0\0\0\0\0\0{}",
    "test_simple.py, not a file": b"not a safetensors file, but a long enough text",
}


def entry(dtype="F32", shape="[1]", offsets="[0,4]", name="x", more=""):
    return f'"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}{more}}}'


def variants():
    """(what, bytes), one change each to a file of a tensor of four bytes."""
    x, four = entry(), b"1234"
    yield "plain", file_of("{" + x + "}", four)
    for space in ("\t", "\n", "\r", " ", "\v", "\f", "\0", "\xa0", "\ufeff", "//\n", "/**/"):
        for place, text in (("before", space + "{" + x + "}"), ("behind", "{" + x + "}" + space), ("inside", "{" + space + x + "}")):
            yield f"{place}: {space!r}", file_of(text, four)
    for name in ("", "\\u0000", "\\ud83d\\ude00", "\\ud800", "\\udc00\\ud800", "ü", "\u2028", "\uffff", "a" * 70000, "\\/", "\\x41", "\x01", "\x7f", "__METADATA__"):
        yield f"name: {name[:20]!r}", file_of("{" + entry(name=name) + "}", four)
    for shape in ("[]", "[1,1,1,1,1,1,1,1,1]", "[-1]", "[-0]", "[1.0]", "[1e0]", "[01]", "[+1]", "[0x1]", "[\"1\"]", "[null]", "[true]", "[NaN]", "null", "1", "{}",
                  "[[1]]", "[1,]", "[0]", "[2]", "[18446744073709551616]", "[9223372036854775808]", "[4294967296,4294967296]"):
        yield f"shape: {shape}", file_of("{" + entry(shape=shape) + "}", four)
    for shape in ("[0]", "[0,3]", "[9223372036854775807,0]", "[0,9223372036854775807,9223372036854775807]", "[9223372036854775807,3,0]", "[4294967296,4294967296,0]"):
        yield f"nothing in {shape}", file_of("{" + entry(shape=shape, offsets="[0,0]") + "}")
    for offsets in ("[0]", "[0,4,4]", "[]", "[4,0]", "[-0,4]", "[0,4.0]", "[\"0\",4]", "null", "[0,3]", "[0,5]", "[1,5]", "[18446744073709551612,18446744073709551616]",
                    "[18446744073709551612,0]", "{}"):
        yield f"data_offsets: {offsets}", file_of("{" + entry(offsets=offsets) + "}", four)
    for dtype in list(BITS) + ["f32", "F128", "", "FLOAT", "F32 ", "I4", "C128"]:
        size = 4 * BITS.get(dtype, 32) // 8
        yield f"type {dtype!r}", file_of("{" + entry(dtype, "[4]", f"[0,{size}]") + "}", b"\0" * size)
    for dtype in ("F4", "F6_E2M3", "F6_E3M2"):
        for extent in (1, 2, 3, 4, 5, 8):
            for size in {extent * BITS[dtype] // 8, -(-extent * BITS[dtype] // 8)}:
                yield f"{extent} of {dtype} in {size} bytes", file_of("{" + entry(dtype, f"[{extent}]", f"[0,{size}]") + "}", b"\0" * size)
    for more in (',"more":1', ',"more":{"a":[1,2]}', ',"dtype2":"F32"', ',"more":' + "[" * 40 + "]" * 40, ',"more":null'):
        yield f"more in an entry: {more[:30]}", file_of("{" + entry(more=more) + "}", four)
    for text in ('{"x":{"dtype":"F32","shape":[1]}}', '{"x":{"shape":[1],"data_offsets":[0,4]}}', '{"x":{"dtype":"F32","data_offsets":[0,4]}}', '{"x":1}', '{"x":null}',
                 '{"x":{}}', '{"x":"F32"}', '{"x":{"dtype":1,"shape":[1],"data_offsets":[0,4]}}', '{"x":{"dtype":null,"shape":[1],"data_offsets":[0,4]}}',
                 '{"x":{"data_offsets":[0,4],"shape":[1],"dtype":"F32"}}', '{"x":{"dt\\u0079pe":"F32","shape":[1],"data_offsets":[0,4]}}',
                 '{"x":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}', "{" + x + ",}", "[" + x + "]", "{" + x, x, "{" + x + "}}", "{" + x + "}{}",
                 "{'x':1}", "{" + x + ',"y":' + "[" * 500 + "]" * 500 + "}"):
        yield f"header {text[:60]}", file_of(text, four)
    for metadata in ("{}", "null", "[]", '""', "1", '{"a":"b"}', '{"a":1}', '{"a":null}', '{"a":{"b":"c"}}', '{"":""}', '{"a":"\\u0000"}', '{"a":"\x01"}', '{"a":true}'):
        yield f"__metadata__: {metadata}", file_of('{"__metadata__":' + metadata + "}")
        yield f"__metadata__ behind: {metadata}", file_of("{" + x + ',"__metadata__":' + metadata + "}", four)
    yield "__metadata__ twice", file_of('{"__metadata__":{},"__metadata__":{}}')
    y = "{" + x + "," + entry(name="y", offsets="{}") + "}"
    for offsets in ("[4,8]", "[0,4]", "[2,6]", "[8,12]", "[3,7]", "[5,9]"):
        yield f"two tensors, the second at {offsets}", file_of(y.replace("{}", offsets), b"12345678")
    for second in ("[0,0]", "[4,4]", "[2,2]", "[8,8]"):
        yield f"a second of nothing at {second}", file_of("{" + x + "," + entry(shape="[0]", name="y", offsets=second) + "}", four)
    whole = file_of("{" + x + "}", four)
    for cut in (0, 1, 7, 8, 9, 20, len(whole) - 5, len(whole) - 1):
        yield f"the first {cut} bytes", whole[:cut]
    yield "a byte more", whole + b"\0"
    for length in (0, 1, 2 ** 31, 2 ** 63, 2 ** 64 - 1, 2 ** 64 - 9, 100_000_000, 100_000_001):
        yield f"a header of {length} bytes", struct.pack("<Q", length) + whole[8:]


# What its writer calls the types that it has a name for.
NAMES = dict(BOOL="bool", U8="uint8", I8="int8", I16="int16", U16="uint16", F16="float16", BF16="bfloat16", I32="int32", U32="uint32", F32="float32", F64="float64",
             I64="int64", U64="uint64", C64="complex64", F4="float4_e2m1fn_x2", F8_E4M3="float8_e4m3fn", F8_E5M2="float8_e5m2", F8_E8M0="float8_e8m0fnu",
             F8_E4M3FNUZ="float8_e4m3fnuz", F8_E5M2FNUZ="float8_e5m2fnuz")


def written():
    for dtype, name in NAMES.items():
        size = 2 * 3 * 4 * BITS[dtype] // 8
        buffer = ctypes.create_string_buffer(random.Random(dtype).randbytes(size), size)
        shape = [2, 3, 2 if dtype == "F4" else 4]  # of F4 it is that of its bytes
        tensor = safetensors.TensorSpec(dtype=name, shape=shape, data_ptr=ctypes.addressof(buffer), data_len=size)
        yield f"written: {dtype}", bytes(safetensors.serialize({"a": tensor}, {"b": "c"}))


def changed():
    """Random changes of a byte or two of files."""
    rng = random.Random(1)
    files = [contents for _, contents in variants() if len(contents) < 400] + list(OWN.values())
    for number in range(random_files):
        contents = bytearray(rng.choice([f for f in files if len(f) > 10]))
        for _ in range(rng.randint(1, 2)):
            at = rng.randrange(len(contents))
            kind = rng.random()
            if kind < 0.5:
                contents[at] = rng.choice(b'{}[]",:0123456789 xFIU\0\n\\') if rng.random() < 0.7 else rng.randrange(256)
            elif kind < 0.75:
                del contents[at]
            else:
                contents.insert(at, rng.choice(b'{}[]",:0123456789 '))
        # Most of them with the length that fits, so that more than it is tried.
        end = contents.rfind(b"}")
        if rng.random() < 0.8 and end > 8:
            contents[:8] = struct.pack("<Q", end - 7)
        yield f"changed {number}", bytes(contents)


def reference(contents):
    try:
        return sorted((name, tensor["dtype"], list(tensor["shape"])) for name, tensor in safetensors.deserialize(contents))
    except safetensors.SafetensorError:
        return None


def ours(path):
    run = subprocess.run([f"{programs}/xformer-export", "inspect", path, "--format", "json"], capture_output=True, timeout=60)
    if run.returncode == 3:
        return None
    if run.returncode != 0:
        return f"exit code {run.returncode}: {run.stderr.decode(errors='replace')}"
    return sorted((tensor["name"], tensor["dtype"], tensor["shape"]) for tensor in json.loads(run.stdout)["tensors"])


def has_twins(contents):
    """A key stands twice, which the format forbids and its reference takes."""
    twins = False

    def no_twins(pairs):
        nonlocal twins
        twins |= len({key for key, _ in pairs}) != len(pairs)
        return dict(pairs)
    length = struct.unpack("<Q", contents[:8])[0] if len(contents) >= 8 else 0
    try:
        json.loads(contents[8:8 + length].decode(), object_pairs_hook=no_twins)
    except ValueError:
        return False
    return twins


def header_of(contents):
    try:
        return json.loads(contents[8:8 + struct.unpack("<Q", contents[:8])[0]])
    except (ValueError, struct.error):
        return {}


def is_stricter(contents):
    """What the reference takes by accident: a list for an entry, an object for a type, an extent that no signed number holds."""
    tensors = [value for name, value in header_of(contents).items() if name != "__metadata__"]
    return any(not isinstance(value, dict) or not isinstance(value.get("dtype"), str) or max(value.get("shape") or [0]) >= 2 ** 63 for value in tensors)


def compare(numbered):
    number, (what, contents) = numbered
    path = folder / f"{number}.safetensors"
    path.write_bytes(contents)
    theirs, mine = reference(contents), ours(path)
    if theirs == mine:
        return what, "same"
    if theirs is not None and mine is None and (has_twins(contents) or is_stricter(contents)):
        return what, "stricter"
    return what, f"the reference: {theirs}, here: {mine}"


folder.mkdir(parents=True, exist_ok=True)
print(f"safetensors {safetensors.__version__}", flush=True)
for kind, files in (("of the reference's own tests", list(OWN.items())), ("variants", list(variants())), ("written by the reference", list(written())),
                    ("of random changes", list(changed()))):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(compare, enumerate(files)))
    wrong = [(what, answer) for what, answer in answers if answer not in ("same", "stricter")]
    stricter = sum(answer == "stricter" for _, answer in answers)
    failures += len(wrong)
    print(f"{'FAILED ' if wrong else 'ok     '} {len(files)} files {kind}: {len(files) - len(wrong) - stricter} read or refused as by the reference"
          + (f", {stricter} refused that the format forbids and the reference takes" if stricter else ""), flush=True)
    for what, answer in wrong[:20]:
        print(f"        {what}: {answer}")
sys.exit(failures > 0)
