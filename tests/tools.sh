#!/usr/bin/env bash
# What the tests need that is no Python package, from Debian's packages where that can be done:
# chromium (the pages in a real browser), docker-compose (whether it takes docker-compose.yml).
# What cannot be installed here is said; the tests that need it fail and say so too.
set -u
declare -A package=([chromium]=chromium [docker-compose]=docker-compose)
missing=()
for command in chromium docker-compose; do
  command -v "$command" >/dev/null 2>&1 || missing+=("${package[$command]}")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Installing ${missing[*]} for the tests ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "For all tests install: ${missing[*]} (as root: apt-get install ${missing[*]})"
fi
exit 0
