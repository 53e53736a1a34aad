#!/bin/sh
# discovery.sh ADDRESS: the discovery server of Fast DDS, on port 11811 of this address. It tells the machines that name it in
# ROS_DISCOVERY_SERVER of each other; messages go from machine to machine without it.
set -eu

home=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
# The files of a sourced ROS 2 ask for variables that are not set.
set +u
. "$home/build/environment.sh"
set -u
# A ROS 2 from PyPI is not sourced: the preparation names its folders.
export PATH="$PATH:${AMENT_PREFIX_PATH##*:}/bin"
if [ -n "${ARM_BRIDGE_ROS_LD_LIBRARY_PATH:-}" ]; then
  export LD_LIBRARY_PATH="$ARM_BRIDGE_ROS_LD_LIBRARY_PATH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
exec fast-discovery-server -i 0 -l "$1" -p 11811
