"""The teleoperator."""

from typing import Any

from lerobot.teleoperators import Teleoperator
from lerobot.utils.decorators import check_if_already_connected, check_if_not_connected
from lerobot_robot_arm_bridge.connected_arm import ConnectedArm
from lerobot_robot_arm_bridge.units import angles

from .config_arm_bridge import ArmBridgeTeleoperatorConfig


class ArmBridgeTeleoperator(Teleoperator):
    """
    A leader arm that a hand leads: limp, or floating, which is carrying its weight. LeRobot may drive it too (`enable_torque`,
    `send_feedback`), to hand a follower over to a person: it floats afterwards (`disable_torque`).
    """

    config_class = ArmBridgeTeleoperatorConfig
    name = "arm_bridge"

    def __init__(self, config: ArmBridgeTeleoperatorConfig) -> None:
        super().__init__(config)
        self.config = config
        self._arm = ConnectedArm(config.url, config.token, config.arm, config.use_degrees)
        #: What this program has begun and has to end: the leader floats, or holds.
        self._floats = False
        self._holds = False
        #: When the positions of the newest action were read from the servos, in seconds since the epoch.
        self.sampled = 0.0

    @property
    def action_features(self) -> dict[str, type]:
        return self._arm.features

    @property
    def feedback_features(self) -> dict[str, type]:
        """Goals of the joints, in the numbers of the actions."""
        return self._arm.features

    @property
    def is_connected(self) -> bool:
        return self._arm.is_open

    @check_if_already_connected
    def connect(self, calibrate: bool = True) -> None:
        """The arm goes limp, lowered first where it holds, or carries its weight. Raises RuntimeError for one without a calibration."""
        self._arm.open()
        try:
            if calibrate and not self.is_calibrated:
                self.calibrate()
            self.configure()
        except BaseException:
            self._arm.close()
            raise

    @property
    def is_calibrated(self) -> bool:
        return self._arm.state()["calibrated"]

    def calibrate(self) -> None:
        """The bridge keeps the calibration: says how to make one."""
        self._arm.calibrate()

    def configure(self) -> None:
        """Lets the arm yield to the hand. One that floats already does, as the leader of a robot that follows it in the bridge."""
        state = self._arm.state()
        if state["state"] == "floating":
            return
        if self.config.gravity_compensation:
            self._float()
        elif state["torque"]:
            self._arm.arm.torque(False, take_over=self.config.take_over)

    def _float(self) -> None:
        self._arm.arm.gravity_compensation(True, take_over=self.config.take_over)
        self._floats, self._holds = True, False

    @check_if_not_connected
    def get_action(self) -> dict[str, float]:
        action, self.sampled = self._arm.positions()
        return action

    @check_if_not_connected
    def enable_torque(self) -> None:
        """The arm holds where it is, and takes feedback from now on."""
        if self._floats:
            self._arm.stop_floating("hold")
            self._floats = False
        self._arm.arm.torque(True, take_over=self.config.take_over)
        self._holds = True

    @check_if_not_connected
    def disable_torque(self) -> None:
        """The arm yields to the hand. One that was driven floats, so that it does not drop."""
        if self._holds:
            self._float()

    @check_if_not_connected
    def send_feedback(self, feedback: dict[str, Any]) -> None:
        """
        Goals of the joints, as a robot takes them by `send_action`: the arm goes there and holds, once its torque has been
        enabled. Raises ValueError for other names, Refused when the bridge did not take those before.
        """
        self._arm.stream.write(angles(self._arm.joints, feedback))

    @check_if_not_connected
    def disconnect(self) -> None:
        """
        An arm that was driven, or floats because of this program, is lowered and released; a limp one stays as it is.

        One that a stop or another client has meanwhile stays as that left it. This raises nothing then, because LeRobot
        disconnects its robot only afterwards.
        """
        self._arm.close()
        floats, holds = self._floats, self._holds
        self._floats = self._holds = False
        if floats:
            self._arm.stop_floating("lower")
        elif holds:
            self._arm.let_down()
