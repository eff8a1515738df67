#!/bin/sh
# Makes the virtual environment $1, if it is not there, with the interpreter $PYTHON (default: python3).
set -eu
venv=$1
python=${PYTHON:-python3}

[ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1 && exit 0

if ! command -v "$python" >/dev/null 2>&1; then
    echo "Python was not found. Install Python 3.11 or newer, or name yours:  make run PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "$python is $("$python" --version), and Python 3.11 or newer is needed." >&2
    echo "Name a newer one:  make run PYTHON=python3.12" >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "Installing python3-venv ..."
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >/dev/null
    else
        echo "$python cannot make virtual environments. On Debian or Ubuntu:  sudo apt-get install python3-venv" >&2
        exit 1
    fi
fi
rm -rf "$venv"
"$python" -m venv "$venv"
