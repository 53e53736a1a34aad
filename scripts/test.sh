#!/usr/bin/env bash
# npm test: prepares this checkout with what the tests need besides, and runs every check. Arguments go to vitest.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
variables=$(node "$scripts/prepare.mjs" test)
eval "$variables"
exec node "$scripts/run-tests.mjs" "$@"
