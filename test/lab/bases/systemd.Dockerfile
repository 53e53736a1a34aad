# A machine of Debian with systemd on which the bridge has been built by root, in /opt/arm-bridge, as docs/deployment.md has
# it. What the image itself sets up is taken away.
ARG IMAGE
FROM ${IMAGE}
USER 0:0
RUN apt-get update \
 && apt-get install -y --no-install-recommends systemd systemd-sysv dbus udev procps curl \
 && rm -rf /var/lib/apt/lists/* /etc/arm-bridge /var/lib/arm-bridge /usr/local/bin/arm-bridge
