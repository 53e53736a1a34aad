"""What people say of a robot on the command line of LeRobot."""

from dataclasses import dataclass, field

from lerobot.cameras import CameraConfig
from lerobot.robots import RobotConfig


@RobotConfig.register_subclass("arm_bridge")
@dataclass(kw_only=True)
class ArmBridgeRobotConfig(RobotConfig):
    """`--robot.type=arm_bridge`."""

    #: Name of the arm in the bridge's configuration.
    arm: str = "follower"
    #: The bridge; left out: ARM_BRIDGE_URL, or http://localhost:8020.
    url: str | None = None
    #: Where the bridge asks for one; left out: ARM_BRIDGE_TOKEN.
    token: str | None = None
    #: Take the arm from whoever drives it.
    take_over: bool = False
    #: The bridge lets the arm follow this leader by itself, in each cycle of its control loop, while LeRobot looks on.
    leader: str | None = None
    #: How much of what pushes the arm that leader feels, 0 to 1.
    force_feedback: float = 0.0
    #: Lower the arm and switch its torque off at the end. It holds otherwise.
    disable_torque_on_disconnect: bool = False
    #: As LeRobot has it: degrees from the middle of each range, or -100 to 100 over it. The gripper is 0 to 100 either way.
    use_degrees: bool = True
    #: Cameras are LeRobot's own.
    cameras: dict[str, CameraConfig] = field(default_factory=dict)
