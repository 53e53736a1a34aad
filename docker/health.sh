#!/bin/sh
# health.sh [--end]: ends with 0 as soon as the bridge beats, with 1 when it does not for as long as the limit.
# While its main thread and its control loop run, the bridge writes "COUNT PID" into $ARM_BRIDGE_BEAT_FILE once a second
# (src/watchdog.ts). That COUNT moves is all that is asked: no clock can be wrong, and a pause of the host does no harm.
# COUNT is 0 until the bridge has started, which may take longer than a beat: it opens the ports of all arms meanwhile.
# --end kills a bridge that does not beat: its arms hold, and a restart policy starts it anew.
set -eu

# Limits, half seconds. The Dockerfile lets a check take longer than either.
RUNNING=20
STARTING=120

beat() {
  count=
  pid=
  # Replaced as a whole each time, so that it is never read in part.
  read -r count pid < "$ARM_BRIDGE_BEAT_FILE" || :
}

if [ ! -r "$ARM_BRIDGE_BEAT_FILE" ]; then
  echo "no bridge has beaten yet ($ARM_BRIDGE_BEAT_FILE is not there)" >&2
  exit 1
fi
beat
first=$count
limit=$RUNNING
why='has not beaten for 10 s: its main thread or its control loop stands still'
if [ "$first" = 0 ]; then
  limit=$STARTING
  why='has not started within 60 s'
fi
waited=0
while [ "$waited" -lt "$limit" ]; do
  sleep 0.5
  waited=$((waited + 1))
  beat
  if [ "$count" != "$first" ]; then exit 0; fi
done
echo "the bridge (process $pid) $why" >&2
if [ "${1:-}" = --end ] && [ -n "$pid" ]; then kill -KILL "$pid"; fi
exit 1
