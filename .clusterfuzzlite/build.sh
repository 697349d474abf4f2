#!/bin/bash -eu
# Builds every fuzz target with cargo-fuzz, and puts it into $OUT with its seeds, its dictionary and its options.
cd "$SRC/lozenge"

cargo fuzz build -O --fuzz-dir harnesses/fuzz --target-dir "$WORK/fuzz"
for target in $(cargo fuzz list --fuzz-dir harnesses/fuzz); do
    cp "$WORK/fuzz/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    cp harnesses/fuzz/lozenge.dict "$OUT/$target.dict"
    # The bodies look at no more than this (MOST_BYTES).
    printf '[libfuzzer]\nmax_len = 4096\n' >"$OUT/$target.options"
done

# What writes the seeds is an ordinary program, built without sanitizers.
env -u RUSTFLAGS -u CFLAGS -u CXXFLAGS harnesses/fuzz/seeds --zip "$OUT"
