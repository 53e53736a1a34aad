#!/usr/bin/env bash
# npm start: prepares this checkout and becomes the bridge. It ends in exec, so that no shell stands between npm and the
# bridge when a signal comes.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
variables=$(node "$scripts/prepare.mjs" start "$@")
eval "$variables"
exec node "${scripts%/*}/dist/main.js" "$@"
