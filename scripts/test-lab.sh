#!/usr/bin/env bash
# npm run test:lab: images, containers, the unit of systemd and the monitoring, built and run on this machine. Needs root
# and Debian's packages, and says that it skips where it has not got them. Arguments go to vitest.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
variables=$(node "$scripts/prepare.mjs" test)
eval "$variables"
exec node "$scripts/run-lab.mjs" "$@"
