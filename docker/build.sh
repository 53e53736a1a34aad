#!/bin/sh
# Makes a checkout ready to run without a network, a compiler or a folder to write to. The images are built with this
# file, and a test runs it in a clean folder.
set -eu

cd -- "$(dirname -- "$0")/.."
# An image of ROS 2 has one to use; without it the preparation takes the one from PyPI.
if [ -f "/opt/ros/${ROS_DISTRO:-}/setup.sh" ]; then
  # Its files ask for variables that are not set.
  set +u
  . "/opt/ros/$ROS_DISTRO/setup.sh"
  set -u
fi
mkdir -p build
node scripts/prepare.mjs start > build/environment.sh
if grep -q '^export ARM_BRIDGE_ROS_UNAVAILABLE=' build/environment.sh; then
  echo 'docker/build.sh: an image without ROS 2 is not what was asked for; the reason stands above' >&2
  exit 1
fi
npm prune --omit=dev --ignore-scripts --no-audit --no-fund
rm -rf build/log build/ros/build
docker/with-ros.sh node dist/main.js --version
