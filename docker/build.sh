#!/bin/sh
# docker/build.sh [--no-ros]
# Makes a checkout ready to run, by any user, without a network, a compiler or a folder to write to. The images are built
# with this file, `arm-bridge install` asks for it, and a test runs it in a clean folder. --no-ros leaves ROS 2 out.
set -eu
# Whoever runs the bridge is another user than the one that builds it.
umask 022

cd -- "$(dirname -- "$0")/.."
mkdir -p build
setup=
mode=${1:-}
if [ "$mode" = --no-ros ]; then
  export ARM_BRIDGE_ROS_ENABLED=false
else
  # A ROS 2 below /opt/ros is used: the one that ROS_DISTRO names, or the only one. Without one, it comes from PyPI.
  if [ -z "${ROS_DISTRO:-}" ]; then
    set -- /opt/ros/*/setup.sh
    if [ $# -eq 1 ] && [ -f "$1" ]; then ROS_DISTRO=$(basename -- "$(dirname -- "$1")"); fi
  fi
  if [ -f "/opt/ros/${ROS_DISTRO:-}/setup.sh" ]; then
    setup=/opt/ros/$ROS_DISTRO/setup.sh
    # Its files ask for variables that are not set.
    set +u
    . "$setup"
    set -u
  fi
fi
# The service may not read home folders, and would go without a ROS 2 that is in one.
cache=${XDG_CACHE_HOME:-$HOME/.cache}
case "${ARM_BRIDGE_ROS_ENABLED:-}:${AMENT_PREFIX_PATH:-}:$(id -u):$cache" in
::0:/root/* | ::0:/home/*)
  echo "docker/build.sh: ROS 2 would go into $cache, which the service may not read. Name another place:" >&2
  echo "  sudo env XDG_CACHE_HOME=/opt/cache $PWD/docker/build.sh" >&2
  exit 1
  ;;
esac
# The bridge starts with what is found here, whatever environment it is started in: systemd's has no ROS_DISTRO.
prepared=$(node scripts/prepare.mjs start)
{
  if [ -n "$setup" ]; then echo ". $setup"; fi
  echo "$prepared"
  if [ "${ARM_BRIDGE_ROS_ENABLED:-}" = false ]; then
    echo "export ARM_BRIDGE_ROS_UNAVAILABLE='it was built without ROS 2 (docs/deployment.md, Variables)'"
  fi
} > build/environment.sh
# What it is made of, for whoever has to know.
mkdir -p build/sbom
for prefix in "$cache"/arm-bridge/ros-*; do
  if [ -x "$prefix/bin/pip" ]; then "$prefix/bin/python" -m pip list --format=json > build/sbom/python.json; fi
done
export npm_config_offline=true npm_config_update_notifier=false
if [ "${ARM_BRIDGE_ROS_ENABLED:-}" = false ]; then
  npm sbom --sbom-format=cyclonedx --omit=dev --omit=optional > build/sbom/npm.json
  npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
  rm -rf build/ros
elif grep -q '^export ARM_BRIDGE_ROS_UNAVAILABLE=' build/environment.sh; then
  echo 'docker/build.sh: ROS 2 is wanted and cannot be had; the reason stands above (without it: --no-ros)' >&2
  exit 1
else
  npm sbom --sbom-format=cyclonedx --omit=dev > build/sbom/npm.json
  npm prune --omit=dev --ignore-scripts --no-audit --no-fund
fi
# The next build, as of an update, needs again what npm has taken away.
rm -f node_modules/.arm-bridge-packages
rm -rf build/log build/ros/build
docker/with-ros.sh node dist/main.js --version
