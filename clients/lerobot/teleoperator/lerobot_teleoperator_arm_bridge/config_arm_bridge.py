"""What people say of a teleoperator on the command line of LeRobot."""

from dataclasses import dataclass

from lerobot.teleoperators import TeleoperatorConfig


@TeleoperatorConfig.register_subclass("arm_bridge")
@dataclass(kw_only=True)
class ArmBridgeTeleoperatorConfig(TeleoperatorConfig):
    """`--teleop.type=arm_bridge`."""

    #: Name of the arm in the bridge's configuration.
    arm: str = "leader"
    #: The bridge; left out: ARM_BRIDGE_URL, or http://localhost:8020.
    url: str | None = None
    #: Where the bridge asks for one; left out: ARM_BRIDGE_TOKEN.
    token: str | None = None
    #: Take the arm from whoever drives it.
    take_over: bool = False
    #: The arm carries its weight; it is limp otherwise.
    gravity_compensation: bool = False
    #: As LeRobot has it: degrees from the middle of each range, or -100 to 100 over it. The gripper is 0 to 100 either way.
    use_degrees: bool = True
