#!/usr/bin/env bash
# What the tests need that is no Python package, from Debian's packages where that can be done:
# chromium (the pages in a real browser), docker-compose (whether it takes docker-compose.yml),
# Postgres and Redis (what docker-compose.yml starts, without Docker).
# What cannot be installed here is said; the tests that need it fail and say so too.
set -u
declare -A package=([chromium]=chromium [docker-compose]=docker-compose [redis-server]=redis-server)
missing=()
for command in chromium docker-compose redis-server; do
  command -v "$command" >/dev/null 2>&1 || missing+=("${package[$command]}")
done
initdb=(/usr/lib/postgresql/*/bin/initdb)  # Debian has it outside of the path
[ -x "${initdb[0]}" ] || command -v initdb >/dev/null 2>&1 || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Installing ${missing[*]} for the tests ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "For all tests install: ${missing[*]} (as root: apt-get install ${missing[*]})"
fi
exit 0
