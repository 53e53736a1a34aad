"""Records episodes of a simulated pair, ten or as many as are asked for: a scripted hand leads the leader, and the follower
does as it does."""

import random
import sys
import time

from arm_bridge_client import Bridge

EPISODES = int(sys.argv[1]) if len(sys.argv) > 1 else 10
DATASET = "reach"
TASK = "Reach for the side and close the gripper"
START = {"shoulder_pan": 0.0, "shoulder_lift": -0.7, "elbow_flex": 0.7, "wrist_flex": 0.0, "gripper": 1.0}
#: The follower has done it when its joints are as near to the leader's as this, rad.
NEAR = 0.1

with Bridge() as bridge:
    leader, follower = bridge.arm("leader"), bridge.arm("follower")
    hand = bridge.id_of("leader")

    def lead(joints: dict[str, float] | None, duration: float) -> None:
        """The hand takes the leader to these angles (rad), so slowly that a follower keeps up; None: it lets go."""
        bridge.call("POST", "/sim/hand", body={"robot_id": hand, "joints": joints, "duration": duration})
        time.sleep(duration)

    leader.init()
    follower.init()
    bridge.mirror(leader, follower)
    try:
        lead(START, 2)
        for episode in range(1, EPISODES + 1):
            goal = {"shoulder_pan": random.uniform(0.3, 0.6), "shoulder_lift": random.uniform(-0.4, 0.0)}
            bridge.episode.start(dataset=DATASET, task=TASK, operator="script")
            lead({**START, **goal}, 1)
            lead({**START, **goal, "gripper": 0.2}, 0.5)
            bridge.episode.mark("closed")
            time.sleep(0.3)
            apart = max(abs(a - b) for a, b in zip(leader.joints(), follower.joints()))
            name = bridge.episode.stop(verdict="good" if apart < NEAR else "bad")["name"]
            print(f"{episode} of {EPISODES}: {name}, the follower is {apart:.3f} rad apart")
            lead(START, 1)
    finally:
        if bridge.episode.state() is not None:
            bridge.episode.stop(keep=False)
        lead(None, 0)
        bridge.stop_mirroring("hold")
