#!/bin/sh
# Prints the newest Python from 3.11 to 3.14 that this machine has and that works.
set -eu
pyenv=$(pyenv root 2>/dev/null || echo /nowhere)
for minor in 14 13 12 11; do
    for python in "python3.$minor" "$pyenv"/versions/3.$minor.*/bin/python3; do
        if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            echo "$python"
            exit 0
        fi
    done
done
echo "No Python from 3.11 to 3.14 was found." >&2
exit 1
