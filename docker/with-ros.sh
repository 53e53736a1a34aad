#!/bin/sh
# Runs a command with the ROS 2 that docker/build.sh has found: with-ros.sh COMMAND [ARGUMENT]... The command takes the
# place of the shell, so that it gets the signals.

home=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P) || exit 1
# No `set -u` before: the files of a sourced ROS 2 ask for variables that are not set.
. "$home/build/environment.sh" || exit 1
exec "$@"
