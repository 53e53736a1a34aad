"""An arm of an Arm Bridge as a robot of LeRobot: `--robot.type=arm_bridge`."""

from .config_arm_bridge import ArmBridgeRobotConfig
from .robot import ArmBridgeRobot

__all__ = ["ArmBridgeRobot", "ArmBridgeRobotConfig"]
