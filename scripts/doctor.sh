#!/usr/bin/env bash
# npm run doctor: says what this machine has and what will be used; changes nothing.
exec node "$(dirname -- "${BASH_SOURCE[0]}")/doctor.mjs"
