"""A leader arm of an Arm Bridge as a teleoperator of LeRobot: `--teleop.type=arm_bridge`."""

from .config_arm_bridge import ArmBridgeTeleoperatorConfig
from .teleoperator import ArmBridgeTeleoperator

__all__ = ["ArmBridgeTeleoperator", "ArmBridgeTeleoperatorConfig"]
