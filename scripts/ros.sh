#!/usr/bin/env bash
# npm run ros -- topic echo /follower/joint_states: the ros2 of a full ROS 2 where one is sourced, otherwise a small stand-in
# for it on the ROS 2 that the preparation has made.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
python=${scripts%/*}/build/ros/bin/python
if ros2=$(command -v ros2) && "$ros2" --help > /dev/null 2>&1; then exec "$ros2" "$@"; fi
if [[ ! -x $python ]]; then
  echo 'There is no ROS 2 yet: npm start prepares one.' >&2
  exit 1
fi
exec "$python" -B "$scripts/ros.py" "$@"
