"""Records episodes of a simulated pair, ten or as many as are asked for: a scripted hand leads the leader, and the follower
picks up the cube of the scene `pick`."""

import math
import random
import sys
import time

from arm_bridge_client import Bridge

EPISODES = int(sys.argv[1]) if len(sys.argv) > 1 else 10
DATASET = "cube"
TASK = "Pick up the cube"
#: Where the scene has the cube, and where the first joint turns, m from the base of an SO-101.
CUBE, AXIS = (0.24, 0.05), 0.0388
#: Angles of an SO-101, rad: above the cube, and down beside it step by step (shoulder_lift, elbow_flex, wrist_flex).
PAN, ROLL = -0.246, 0.049
WAY = [(-0.274, 0.122, 1.549), (-0.295, 0.365, 1.326), (-0.267, 0.525, 1.138), (-0.215, 0.628, 0.983), (-0.165, 0.681, 0.880)]
OPEN, SHUT = 0.9, 0.0
#: The cube has been picked up when it is as high as this, m.
PICKED = 0.05

with Bridge() as bridge:
    leader, follower = bridge.arm("leader"), bridge.arm("follower")
    hand, place = bridge.id_of("leader"), bridge.id_of("follower")

    def lead(joints: dict[str, float] | None, duration: float) -> None:
        """The hand takes the leader to these angles (rad), so slowly that a follower keeps up; None: it lets go."""
        bridge.call("POST", "/sim/hand", body={"robot_id": hand, "joints": joints, "duration": duration})
        time.sleep(duration)

    def pose(turn: float, step: int, gripper: float) -> dict[str, float]:
        lift, flex, wrist = WAY[step]
        arm = {"shoulder_pan": PAN + turn, "shoulder_lift": lift, "elbow_flex": flex, "wrist_flex": wrist}
        return {**arm, "wrist_roll": ROLL, "gripper": gripper}

    def put_cube(turn: float) -> None:
        """Puts the cube where the first joint of the arm, turned by so much, finds it."""
        x, y = CUBE[0] - AXIS, CUBE[1]
        at = {"x": AXIS + x * math.cos(turn) + y * math.sin(turn), "y": y * math.cos(turn) - x * math.sin(turn), "z": 0.02}
        bridge.call("POST", "/sim/objects/reset", body={"robot_id": place})
        bridge.call("POST", "/sim/objects/move", body={"robot_id": place, "name": "cube", "position": at, "duration": 1})
        time.sleep(1.2)

    def height() -> float:
        objects = bridge.call("GET", "/sim/objects", robot_id=place)["objects"]
        return next(found["position"]["z"] for found in objects if found["name"] == "cube")

    leader.init()
    follower.init()
    bridge.mirror(leader, follower)
    try:
        lead(pose(0, 0, OPEN), 2)
        for episode in range(1, EPISODES + 1):
            turn = random.uniform(-0.2, 0.2)
            put_cube(turn)
            lead(pose(turn, 0, OPEN), 0.5)
            bridge.episode.start(dataset=DATASET, task=TASK, operator="script")
            for step in range(1, len(WAY)):
                lead(pose(turn, step, OPEN), 0.4)
            time.sleep(0.2)
            lead(pose(turn, step, SHUT), 0.7)
            bridge.episode.mark("closed")
            time.sleep(0.3)
            for step in reversed(range(len(WAY))):
                lead(pose(turn, step, SHUT), 0.4)
            time.sleep(0.2)
            up = height()
            name = bridge.episode.stop(verdict="good" if up > PICKED else "bad")["name"]
            print(f"{episode} of {EPISODES}: {name}, the cube is {100 * up:.1f} cm up")
            lead(pose(turn, 0, OPEN), 0.5)
    finally:
        if bridge.episode.state() is not None:
            bridge.episode.stop(keep=False)
        lead(None, 0)
        bridge.stop_mirroring("hold")
