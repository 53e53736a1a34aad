"""read_bag.py FOLDER ARM...: opens a bag by two programs that are not ours, and draws its arms as a viewer does; JSON on stdout.

Of each arm: the URDF that the bag has, its shapes by Pinocchio (files of meshes are looked for in the packages), the frames that lead
from `world` to its links, and how far a shape is from where Pinocchio finds it with the joint states.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability

folder, arms = Path(sys.argv[1]), sys.argv[2:]
PACKAGES = [os.path.join(prefix, "share") for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]

with open(next(folder.glob("*.mcap")), "rb") as file:
    decoded = [message for _, _, _, message in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages()]

messages, latched = {}, {}
with AnyReader([folder]) as bag:
    for connection, _, data in bag.messages():
        messages.setdefault(connection.topic, []).append(bag.deserialize(data, connection.msgtype))
        profiles = connection.ext.offered_qos_profiles
        latched[connection.topic] = all(profile.durability == QosDurability.TRANSIENT_LOCAL for profile in profiles)


def placement(transform):
    t, r = transform.translation, transform.rotation
    return pin.SE3(pin.Quaternion(r.w, r.x, r.y, r.z).matrix(), np.array([t.x, t.y, t.z]))


def stamp(header):
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def frames_of(transforms, into):
    for one in transforms:
        into[one.child_frame_id] = (one.header.frame_id, placement(one.transform))
    return into


def in_world(frames, frame):
    """Where a frame is, and None where nothing leads there from `world`."""
    place = pin.SE3.Identity()
    while frame != "world":
        if frame not in frames:
            return None
        frame, step = frames[frame]
        place = step * place
    return place


def drawn(arm):
    urdf = messages[f"/{arm}/robot_description"][-1].data
    model = pin.buildModelFromXML(urdf)
    shapes = pin.buildGeomFromUrdfString(model, urdf, pin.GeometryType.VISUAL, PACKAGES)
    frames = {}
    for message in messages["/tf_static"]:
        frames_of(message.transforms, frames)
    moving = [one for one in messages["/tf"] if one.transforms[0].child_frame_id.startswith(f"{arm}/")]
    # Both of one reading of the servos, unless messages were lost; the arms stand still.
    pairs = ((state, told) for state in messages[f"/{arm}/joint_states"] for told in moving)
    state, told = min(pairs, key=lambda pair: abs(stamp(pair[0].header) - stamp(pair[1].transforms[0].header)))
    frames_of(told.transforms, frames)
    q = pin.neutral(model)
    for name, position in zip(state.name, state.position):
        q[model.joints[model.getJointId(name)].idx_q] = position
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    links = [frame.name for frame in model.frames if frame.type == pin.FrameType.BODY and frame.name != "universe"]
    places = {link: in_world(frames, f"{arm}/{link}") for link in links}
    # The first link is the one that stands in the world.
    root = places[links[0]]
    errors = []
    for shape in shapes.geometryObjects:
        told_at = places[model.frames[shape.parentFrame].name]
        if told_at is not None:
            found = root * data.oMf[shape.parentFrame]
            errors.append(float(np.abs(found.homogeneous - told_at.homogeneous).max()))
    return {
        "latched": latched[f"/{arm}/robot_description"],
        "links": links,
        "lost": [link for link, place in places.items() if place is None],
        "base": [float(value) for value in root.translation],
        "shapes": len(errors),
        "error": max(errors),
    }


print(
    json.dumps(
        {
            "messages": sum(map(len, messages.values())),
            "decoded": len(decoded),
            "topics": sorted(messages),
            "static": latched["/tf_static"],
            "arms": {arm: drawn(arm) for arm in arms},
        }
    )
)
