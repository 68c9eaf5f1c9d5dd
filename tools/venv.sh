#!/bin/sh
# Makes .venv from any Python 3.11 or newer, and puts the pinned uv into it. Needs no root.
# PYTHON=... chooses the interpreter. What stands and works is kept.
set -eu
cd "$(dirname "$0")/.."
export UV_PYTHON_DOWNLOADS=never PIP_DISABLE_PIP_VERSION_CHECK=1

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
        if new_enough "$candidate"; then echo "$candidate" && return; fi
    done
    # Interpreters that uv knows of need not be on the PATH.
    [ -n "${PYTHON:-}" ] || uv python find '>=3.11' 2>/dev/null || true
}

make_environment() {
    python=$(find_python)
    [ -n "$python" ] || fail "No Python 3.11 or newer found" \
        "(tried ${PYTHON:-python3, python3.11 to python3.14})." \
        "Install one, or name it: make setup PYTHON=/path/to/python3"
    rm -rf .venv
    if command -v uv >/dev/null; then
        uv venv --quiet --python "$python" .venv
    elif "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        "$python" -m venv .venv
    else
        fail "This Python lacks the venv module, so it cannot make .venv." \
            "On Debian and Ubuntu: apt install python3-venv. Or install uv, or name another: PYTHON=..."
    fi
}

# Commands in an environment name its place: one that was moved does not work.
is_at_home() { [ "$(cat .venv/.home 2>/dev/null || pwd -P)" = "$(pwd -P)" ]; }

# An environment of an interrupted run, of a Python that is gone or of another place is made anew.
new_enough .venv/bin/python && is_at_home && { [ -x .venv/bin/uv ] || [ -x .venv/bin/pip ]; } ||
    make_environment
pwd -P >.venv/.home

if command -v uv >/dev/null; then
    uv pip install --quiet --python .venv/bin/python --require-hashes -r requirements-uv.lock
elif [ -x .venv/bin/uv ]; then
    .venv/bin/uv pip install --quiet --python .venv/bin/python --require-hashes -r requirements-uv.lock
else
    .venv/bin/python -m pip install --quiet --require-hashes -r requirements-uv.lock
fi
