"""The teleoperator."""

from typing import Any

from lerobot.teleoperators import Teleoperator
from lerobot.utils.decorators import check_if_already_connected, check_if_not_connected
from lerobot_robot_arm_bridge.connected_arm import ConnectedArm

from .config_arm_bridge import ArmBridgeTeleoperatorConfig


class ArmBridgeTeleoperator(Teleoperator):
    """A leader arm that a hand leads: limp, or carrying its weight."""

    config_class = ArmBridgeTeleoperatorConfig
    name = "arm_bridge"

    def __init__(self, config: ArmBridgeTeleoperatorConfig) -> None:
        super().__init__(config)
        self.config = config
        self._arm = ConnectedArm(config.url, config.token, config.arm, config.use_degrees)
        #: When the positions of the newest action were read from the servos, in seconds since the epoch.
        self.sampled = 0.0

    @property
    def action_features(self) -> dict[str, type]:
        return self._arm.features

    @property
    def feedback_features(self) -> dict[str, type]:
        """None: the bridge lets no program press on the hand."""
        return {}

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
        """Lets the arm yield to the hand."""
        state = self._arm.state()
        if self.config.gravity_compensation:
            if state["state"] != "floating":
                self._arm.arm.gravity_compensation(True, take_over=self.config.take_over)
        elif state["torque"]:
            self._arm.arm.torque(False, take_over=self.config.take_over)

    @check_if_not_connected
    def get_action(self) -> dict[str, float]:
        action, self.sampled = self._arm.positions()
        return action

    @check_if_not_connected
    def send_feedback(self, feedback: dict[str, Any]) -> None:
        """Takes what `feedback_features` names. Raises ValueError for anything else."""
        strange = [name for name in feedback if name not in self.feedback_features]
        if strange:
            raise ValueError(f"arm {self.config.arm} takes no feedback, such as {', '.join(strange)}")

    @check_if_not_connected
    def disconnect(self) -> None:
        """An arm that carries its weight is lowered and released; a limp one stays as it is."""
        self._arm.close()
        if self.config.gravity_compensation:
            self._arm.arm.gravity_compensation(False, release="lower")
