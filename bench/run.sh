#!/usr/bin/env bash
# npm run bench: compiles the programs and measures. Arguments go to bench/main.ts.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd -- "$root"
# The other clients live in the Python environment of the tests.
if [[ -z ${ARM_BRIDGE_WITNESS_PYTHON:-} ]]; then
  variables=$(node scripts/prepare.mjs test)
  eval "$variables"
fi
node node_modules/typescript/bin/tsc -p bench/tsconfig.json
# The whole bridge is measured as users run it.
node scripts/build.mjs
exec node build/bench/bench/main.js "$@"
