# Stands in for the official image ros:DISTRO-ros-base, which only a hub has: a ROS 2 below /opt/ros that is sourced,
# with compilers and Python, but Debian under it and the ROS 2 from PyPI in it.
ARG NODE
FROM ${NODE} AS node
FROM arm-bridge-lab:bookworm AS tools
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv python3-dev build-essential cmake dpkg-dev \
 && rm -rf /var/lib/apt/lists/*

FROM tools AS prefix
COPY --from=node /usr/local/ /usr/local/
COPY --from=node /etc/ssl/certs /etc/ssl/certs
COPY repository/ /opt/repository/
COPY make-ros.mjs /opt/
ARG ROS_DISTRO
ENV XDG_CACHE_HOME=/opt/cache
RUN --mount=type=cache,target=/opt/cache/pip node /opt/make-ros.mjs /opt/repository "/opt/ros/${ROS_DISTRO}"

FROM tools
COPY --from=node /etc/ssl/certs /etc/ssl/certs
COPY --from=prefix /opt/ros /opt/ros
COPY --from=prefix /opt/packages /opt/packages
# The package server of ROS, as far as docker/Dockerfile asks it.
RUN echo 'deb [trusted=yes] file:/opt/packages ./' > /etc/apt/sources.list.d/ros.list
ARG ROS_DISTRO
ENV ROS_DISTRO=${ROS_DISTRO} LANG=C.UTF-8
