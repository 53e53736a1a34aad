#!/usr/bin/env bash
# npm start: prepares this checkout and becomes the bridge. It ends in exec, so that no shell stands between npm and the
# bridge when a signal comes. Where ROS 2 takes longer, the preparation goes on beside the bridge, as its child, and tells it
# by file descriptor 3 how far it is.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
exec 3< <(exec node "$scripts/prepare.mjs" run "$@")
variables=
prepared=
while IFS= read -r line <&3; do
  case $line in
    '# ready') prepared=1; exec 3<&-; break ;;
    '# ready, ROS 2 follows') prepared=1; break ;;
  esac
  variables+=$line$'\n'
done
# It has said why.
[[ -n $prepared ]] || exit 1
eval "$variables"
exec node "${scripts%/*}/dist/main.js" "$@"
