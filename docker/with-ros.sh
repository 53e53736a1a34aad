#!/bin/sh
# Runs a command with the ROS 2 of this image: with-ros.sh COMMAND [ARGUMENT]... The command takes the place of the shell,
# so that it gets the signals.
set -eu

home=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
if [ -f "/opt/ros/${ROS_DISTRO:-}/setup.sh" ]; then
  # Its files ask for variables that are not set.
  set +u
  . "/opt/ros/$ROS_DISTRO/setup.sh"
  set -u
fi
. "$home/build/environment.sh"
exec "$@"
