#!/usr/bin/env bash
# npm run doctor: says what this machine has, what will be used and how the arms are; changes nothing.
exec node "$(dirname -- "${BASH_SOURCE[0]}")/doctor.mjs" "$@"
