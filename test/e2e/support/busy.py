"""For programs of tests on a machine that is busy with other things."""

import time

from arm_bridge_client import BridgeError


def patiently(action):
    """What a busy machine prevents is done again."""
    for _ in range(20):
        try:
            return action()
        except (BridgeError, ConnectionError) as error:
            last = error
            time.sleep(0.7)
    raise last
