#!/usr/bin/env bash
# Generates the contract's messages and services into a folder, with nothing but pip's packages:
#   generate.sh PROTO_FOLDER OUT_FOLDER
set -euo pipefail
protos=$1 out=$2
mkdir -p "$out"
# Types that pass a strict check, stubs included, come from the package mypy-protobuf.
types=(--pyi_out="$out")
if command -v protoc-gen-mypy_grpc >/dev/null; then types=(--mypy_out="$out" --mypy_grpc_out="$out"); fi
find "$protos/personalisation" -name '*.proto' -print0 |
  xargs -0 python3 -m grpc_tools.protoc -I "$protos" --python_out="$out" --grpc_python_out="$out" "${types[@]}"
