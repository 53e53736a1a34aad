"""The robot."""

from contextlib import ExitStack
from functools import cached_property
from typing import Any

from lerobot.cameras.utils import make_cameras_from_configs
from lerobot.robots import Robot
from lerobot.utils.decorators import check_if_already_connected, check_if_not_connected

from .config_arm_bridge import ArmBridgeRobotConfig
from .connected_arm import ConnectedArm
from .units import angles


class ArmBridgeRobot(Robot):
    """
    An arm that a bridge drives. Goals pass the bridge's gate; a stop, or whoever takes the arm, ends the loop of LeRobot with an
    error that says so, and the arm holds. It holds too when its program falls silent for 0.2 s or ends.

    With `leader` the pair belongs to the bridge: `disconnect` ends it, but a program that is killed leaves the arm following.
    """

    config_class = ArmBridgeRobotConfig
    name = "arm_bridge"

    def __init__(self, config: ArmBridgeRobotConfig) -> None:
        super().__init__(config)
        self.config = config
        self._arm = ConnectedArm(config.url, config.token, config.arm, config.use_degrees)
        self.cameras = make_cameras_from_configs(config.cameras)
        #: What this program has begun and has to end: the arm is its own, or follows in a pair, known by when that began.
        self._configured = False
        self._pair: float | None = None
        #: When the positions of the newest observation were read from the servos, in seconds since the epoch.
        self.sampled = 0.0

    @cached_property
    def observation_features(self) -> dict[str, type | tuple]:
        images: dict[str, tuple] = {}
        for name, camera in self.config.cameras.items():
            if getattr(camera, "use_rgb", True):
                images[name] = (camera.height, camera.width, 3)
            if getattr(camera, "use_depth", False):
                images[f"{name}_depth"] = (camera.height, camera.width, 1)
        return {**self._arm.features, **images}

    @cached_property
    def action_features(self) -> dict[str, type]:
        return self._arm.features

    @property
    def is_connected(self) -> bool:
        return self._arm.is_open and all(camera.is_connected for camera in self.cameras.values())

    @check_if_already_connected
    def connect(self, calibrate: bool = True) -> None:
        """Torque on, holding where it is. Raises RuntimeError for an arm without a calibration, or a BridgeError."""
        self._arm.open()
        try:
            if calibrate and not self.is_calibrated:
                self.calibrate()
            for camera in self.cameras.values():
                camera.connect()
            self.configure()
        except BaseException:
            self._close()
            raise

    @property
    def is_calibrated(self) -> bool:
        return self._arm.state()["calibrated"]

    def calibrate(self) -> None:
        """The bridge keeps the calibration: says how to make one."""
        self._arm.calibrate()

    def configure(self) -> None:
        """
        Gains, limits and protection of the servos are the bridge's business: takes the arm and switches its torque on, or has the
        bridge let it follow its leader, which floats from then on.
        """
        if self.config.leader is not None:
            part = self.config.force_feedback
            self._arm.bridge.mirror(
                self.config.leader,
                self.config.arm,
                gravity_compensation=True,
                force_feedback={"arm": part, "gripper": part},
                take_over=self.config.take_over,
            )
            self._pair = self._arm.pair_with(self.config.leader)
            self._arm.wait_for("mirroring")
        else:
            if self.config.take_over:
                self._arm.arm.take_over()
            if not self._arm.state()["torque"]:
                self._arm.arm.torque(True, take_over=self.config.take_over)
        self._configured = True

    @check_if_not_connected
    def get_observation(self) -> dict[str, Any]:
        observation: dict[str, Any]
        observation, self.sampled = self._arm.positions()
        for name, camera in self.cameras.items():
            if getattr(camera, "use_rgb", True):
                observation[name] = camera.read_latest()
            if getattr(camera, "use_depth", False):
                observation[f"{name}_depth"] = camera.read_latest_depth()
        return observation

    @check_if_not_connected
    def send_action(self, action: dict[str, float]) -> dict[str, float]:
        """
        Goals of the joints. Returns them within the limits of their joints, as they were sent; the bridge keeps the speed within
        its limits too. Raises Refused when the bridge did not take those before.

        An arm that follows its leader in the bridge has its goals from there: nothing is sent. Raises RuntimeError once it does not.
        """
        goals = angles(self._arm.joints, action)
        if self.config.leader is None:
            self._arm.stream.write(goals)
        elif (state := self._arm.state())["state"] != "mirroring":
            raise RuntimeError(
                f"arm {self.config.arm} does not follow {self.config.leader} any more: it is {state['state']}. {state['reason']}"
            )
        sent = [joint for joint in self._arm.joints if joint.name in goals]
        return {f"{joint.name}.pos": joint.number_of(goals[joint.name]) for joint in sent}

    @check_if_not_connected
    def disconnect(self) -> None:
        """
        The arm holds, or is lowered and released where `disable_torque_on_disconnect` says so. A leader that it has followed in the
        bridge is lowered and released.

        An arm that a stop or another client has meanwhile stays as that left it. This raises nothing then, because some programs
        of LeRobot disconnect their teleoperator only afterwards.
        """
        self._close()

    def _close(self) -> None:
        configured, pair = self._configured, self._pair
        self._configured, self._pair = False, None
        with ExitStack() as at_last:
            # Also where the bridge is gone and what is asked of it fails.
            for camera in self.cameras.values():
                if camera.is_connected:
                    at_last.callback(camera.disconnect)
            self._arm.close()
            if pair is not None and self.config.leader is not None:
                self._arm.end_pair(self.config.leader, pair)
            if configured and self.config.disable_torque_on_disconnect:
                self._arm.let_down()
            if configured and self.config.take_over:
                self._arm.give_back()
