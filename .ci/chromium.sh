#!/bin/sh
# Chromium for the browser tests: installed where that can be done without asking, asked for where not.
set -eu
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing Chromium for the browser tests ..."
    apt-get update -qq
    export DEBIAN_FRONTEND=noninteractive
    # The tests are faster without a browser's own windows, where that is to be had.
    apt-get install -y -qq chromium-headless-shell >/dev/null 2>&1 || apt-get install -y -qq chromium >/dev/null
    exit 0
fi
echo "The browser tests need Chromium. On Debian:  sudo apt-get install chromium" >&2
exit 1
