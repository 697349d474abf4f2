#!/usr/bin/env bash
# The steps of action.yml. Inputs are read from the environment and are never part of a script.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: .github/action/run.sh key|install|run

  key       prints key=…, which changes with the sources that `version: build` builds, or with the version
  install   puts the command into LOZENGE_HOME: built from this checkout, or downloaded from a release
  run       runs conform, then fuzz, and writes reports into LOZENGE_REPORTS; prints where they are

What is printed goes to GITHUB_OUTPUT as well, where that is set. The inputs are variables:
  LOZENGE_HOME      the folder of the command
  LOZENGE_VERSION   `build`, or the tag of a release
  LOZENGE_ENGINE    the engine's command line
  LOZENGE_CORPUS    a file or folder of cases; the corpus inside the command if empty
  LOZENGE_KNOWN     a file of known differences, or empty
  LOZENGE_CONFORM   `false` leaves conform out
  LOZENGE_CASES     random cases over all shards; 0 leaves fuzz out
  LOZENGE_TIME, LOZENGE_SEED, LOZENGE_SHARD, LOZENGE_OPS
                    options of fuzz, left out where they are empty, and so is that for cases
  LOZENGE_REPORTS   the folder of the reports
Exit status of run: the greater of those of conform and fuzz.
TEXT
}

fail() {
    printf 'lozenge action: %s\n' "$1" >&2
    exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# output NAME VALUE: a line for the steps that follow.
output() {
    case $2 in *$'\n'*) fail "$1 has more than one line" ;; esac
    printf '%s=%s\n' "$1" "$2"
    [ -z "${GITHUB_OUTPUT-}" ] || printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# A release is called so; nothing else becomes a part of an address.
check_version() {
    [[ $1 =~ ^v?[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.]+)?$ ]] || fail "version is \`build\` or the tag of a release, not $1"
}

key() {
    local version=${LOZENGE_VERSION:-build} sources
    if [ "$version" = build ]; then
        sources=$(cd "$here" && find Cargo.toml Cargo.lock core harnesses spec -type f ! -path '*/target/*' | LC_ALL=C sort |
            while IFS= read -r file; do git hash-object "$file"; done | git hash-object --stdin)
        version=build-$sources
    else
        check_version "$version"
    fi
    output key "lozenge-${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)}-$version"
}

# The name of this machine's builds among those of .github/workflows/release.yml.
triple() {
    case ${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)} in
    Linux-X64 | Linux-x86_64) echo x86_64-unknown-linux-gnu ;;
    Linux-ARM64 | Linux-aarch64) echo aarch64-unknown-linux-gnu ;;
    macOS-ARM64 | Darwin-arm64) echo aarch64-apple-darwin ;;
    *) fail "there is no release for this machine: use \`version: build\`" ;;
    esac
}

digest() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

download() {
    local version=$1 archive from work=$LOZENGE_HOME/download
    check_version "$version"
    archive=lozenge-$(triple).tar.gz
    from=${GITHUB_SERVER_URL:-https://github.com}/${LOZENGE_REPOSITORY:?}/releases/download/$version/$archive
    mkdir -p "$work"
    curl --fail --silent --show-error --location --retry 3 --output "$work/$archive" "$from" ||
        fail "$from cannot be downloaded"
    curl --fail --silent --show-error --location --retry 3 --output "$work/$archive.sha256" "$from.sha256" ||
        fail "$from.sha256 cannot be downloaded"
    [ "$(digest "$work/$archive")" = "$(cut -d ' ' -f 1 "$work/$archive.sha256")" ] ||
        fail "$archive is not what its digest says"
    tar -x -z -f "$work/$archive" -C "$LOZENGE_HOME" lozenge
    rm -rf "$work"
}

build() {
    command -v cargo >/dev/null || fail "cargo is missing: install Rust, or name a release as version"
    cargo build --locked --release -p lozenge-oracle --manifest-path "$here/Cargo.toml" --target-dir "$LOZENGE_HOME/target"
    cp "$LOZENGE_HOME/target/release/lozenge" "$LOZENGE_HOME/lozenge"
    # The cache holds the command and nothing else.
    rm -rf "$LOZENGE_HOME/target"
}

install() {
    mkdir -p "${LOZENGE_HOME:?}"
    if [ ! -x "$LOZENGE_HOME/lozenge" ]; then
        if [ "${LOZENGE_VERSION:-build}" = build ]; then build; else download "$LOZENGE_VERSION"; fi
    fi
    "$LOZENGE_HOME/lozenge" version >&2
    output lozenge "$LOZENGE_HOME/lozenge"
}

# given OPTION VALUE: adds them to `options`, where there is a value.
given() {
    [ -z "$2" ] || options+=("$1" "$2")
}

conform() {
    local options=(--engine "$LOZENGE_ENGINE" --junit "$reports/conform.xml" --report "$reports/conform.json")
    given --corpus "${LOZENGE_CORPUS-}"
    given --known "${LOZENGE_KNOWN-}"
    output junit "$reports/conform.xml"
    output report "$reports/conform.json"
    "$LOZENGE_HOME/lozenge" conform "${options[@]}"
}

fuzz() {
    local options=(--engine "$LOZENGE_ENGINE" --report "$reports/fuzz.json" --append "$reports/found.jsonl")
    given --known "${LOZENGE_KNOWN-}"
    given --cases "${LOZENGE_CASES-}"
    given --time "${LOZENGE_TIME-}"
    given --seed "${LOZENGE_SEED-}"
    given --shard "${LOZENGE_SHARD-}"
    given --ops "${LOZENGE_OPS-}"
    output fuzz-report "$reports/fuzz.json"
    output found "$reports/found.jsonl"
    "$LOZENGE_HOME/lozenge" fuzz "${options[@]}"
}

run() {
    local status=0 worst=0
    [ "${LOZENGE_CONFORM:-true}" = true ] || [ "$LOZENGE_CONFORM" = false ] || fail "conform is true or false"
    [ "${LOZENGE_CONFORM:-true}${LOZENGE_CASES-}" = false0 ] && return
    [ -n "${LOZENGE_ENGINE-}" ] || fail "engine is empty: the command line of an engine is needed"
    mkdir -p "${LOZENGE_REPORTS:?}"
    reports=$(cd "$LOZENGE_REPORTS" && pwd)
    if [ "${LOZENGE_CONFORM:-true}" = true ]; then conform || worst=$?; fi
    if [ "${LOZENGE_CASES-}" != 0 ]; then fuzz || status=$?; fi
    [ "$status" -le "$worst" ] || worst=$status
    return "$worst"
}

case ${1-} in
key | install | run) "$1" ;;
-h | --help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
