"""
Drives the simulated arm by a policy that takes its time: it looks at the arm, thinks for 150 to 400 ms, and gives the next 50
positions, 30 a second. Each chunk takes over from the one before while the arm moves; what came too late of it is skipped.

    npx arm-bridge &
    python examples/policy.py --chunks 30
"""

import argparse
import math
import random
import threading
import time

from arm_bridge_client import Bridge, Refused

JOINTS = ["shoulder_pan", "wrist_flex"]
POINTS, SPACING = 50, 1 / 30
RADIUS, TURN = (0.4, 0.3), 1.5  # rad, rad/s


def policy(pan, flex):
    """Goes round in a circle of two joints from where they are asked to be. A neural network would stand here."""
    time.sleep(random.uniform(0.15, 0.4))
    phase = math.atan2(pan / RADIUS[0], flex / RADIUS[1])
    times = [k * SPACING for k in range(1, POINTS + 1)]
    turns = [phase + TURN * t for t in times]
    return [[RADIUS[0] * math.sin(turn), RADIUS[1] * math.cos(turn)] for turn in turns], times


def watch(arm, indices, slowest, over):
    """Keeps how slowly the goals of both joints have moved, over 0.1 s each."""
    before = None
    for state in arm.states(rate=50):
        if over.is_set():
            return
        goal = [state["joints"]["goal"][i] for i in indices]
        if before is None:
            before = (state["sampled"], goal)
        elif state["sampled"] - before[0] >= 0.1:
            slowest.append(math.dist(goal, before[1]) / (state["sampled"] - before[0]))
            before = (state["sampled"], goal)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arm", default="follower")
    parser.add_argument("--chunks", type=int, default=30)
    options = parser.parse_args()
    with Bridge(name="policy") as bridge, Bridge(name="policy") as eye:
        arm = bridge.arm(options.arm)
        names = [joint["name"] for joint in arm.facts()["joints"]]
        indices = [names.index(name) for name in JOINTS]
        arm.init()
        slowest, over, skipped = [], threading.Event(), []
        watcher = threading.Thread(target=watch, args=(eye.arm(options.arm), indices, slowest, over), daemon=True)
        refusals = 0
        while len(skipped) < options.chunks:
            seen = arm.state()
            try:
                positions, times = policy(*(seen["joints"]["goal"][i] or 0 for i in indices))
                told = arm.chunk(positions, times, joints=JOINTS, observed=seen["sampled"])
            except Refused as error:  # Whoever has stopped the arm wants it to pause.
                refusals += 1
                if refusals > 10:
                    raise
                print(error)
                time.sleep(3)
                continue
            if told["message"] is not None:
                print(told["message"])
            skipped.append(told["skipped"])
            if len(skipped) == 4:  # It moves by now.
                watcher.start()
        over.set()
        print(f"{len(skipped)} chunks of {POINTS} points, of which {min(skipped)} to {max(skipped)} came too late")
        print(f"the joints moved at {min(slowest, default=0):.2f} rad/s or more all the time")


main()
