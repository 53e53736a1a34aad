"""Bodies and answers of the interface. Made of src/http by test/http/generated.test.ts: do not edit."""

from typing import Any, Dict, List, Literal, TypedDict, Union


class AbsoluteMoveRequest(TypedDict, total=False):
    """Lengths are centimetres and angles degrees, in the absolute frame: axes of the base (x forward, y left, z up), zero at the pose that /move/init reaches."""

    # Forward, in centimetres. Null or left out: keeps its present goal.
    x: Union[float, None]
    # To the left, in centimetres. Null or left out: keeps its present goal.
    y: Union[float, None]
    # Upwards, in centimetres. Null or left out: keeps its present goal.
    z: Union[float, None]
    # Absolute pitch in degrees: positive lifts the nose. Null or left out: inverse kinematics takes the best value
    # for it.
    rx: Union[float, None]
    # Absolute yaw in degrees: positive turns left. Null or left out: inverse kinematics takes the best value for
    # it.
    ry: Union[float, None]
    # Absolute roll in degrees: positive is clockwise seen from behind. Null or left out: inverse kinematics takes
    # the best value for it.
    rz: Union[float, None]
    # Gripper: 0 closed to 1 open. Null or left out: the gripper stays as it is.
    open: Union[float, None]
    # Most trials to come within tolerance.
    max_trials: int
    # Distance between asked and measured position that is near enough, in centimetres.
    position_tolerance: float
    # Smallest rotation to the asked angles that is near enough, in degrees.
    orientation_tolerance: float
    # joint: straight for the joints, the quickest way. line: the tool goes on a straight line.
    path: Literal["joint", "line"]


class RelativeMoveRequest(TypedDict, total=False):
    """From the present goal, in axes of the base frame. Angles that are left out are kept as far as the arm has the joints for it: an arm of five gives up the yaw. With `open` alone only the gripper acts."""

    # Forward, in centimetres. Null or left out: no change.
    x: Union[float, None]
    # To the left, in centimetres. Null or left out: no change.
    y: Union[float, None]
    # Upwards, in centimetres. Null or left out: no change.
    z: Union[float, None]
    # Change of the pitch, in degrees. Null or left out: no change.
    rx: Union[float, None]
    # Change of the yaw, in degrees. Null or left out: no change.
    ry: Union[float, None]
    # Change of the roll, in degrees. Null or left out: no change.
    rz: Union[float, None]
    # Gripper: 0 closed to 1 open. Null or left out: the gripper stays as it is.
    open: Union[float, None]
    # Most trials to come within tolerance.
    max_trials: int
    # Distance between asked and measured position that is near enough, in centimetres.
    position_tolerance: float
    # Smallest rotation to the asked angles that is near enough, in degrees.
    orientation_tolerance: float
    # joint: straight for the joints, the quickest way. line: the tool goes on a straight line.
    path: Literal["joint", "line"]


class StatusResponse(TypedDict, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class ValidationError(TypedDict):
    # Location of the fault: body or query, then fields and indexes.
    loc: List[Union[str, int]]
    msg: str
    type: str


class HTTPValidationError(TypedDict):
    # At most 20, then how many more there are.
    detail: List["ValidationError"]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class HTTPError(TypedDict):
    # What is wrong and what to do next.
    detail: str
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class _ProblemDetails(TypedDict):
    # urn:arm-bridge:problem: and the code.
    type: str
    # Text of the HTTP status.
    title: str
    # HTTP status.
    status: int
    # What is wrong and what to do next.
    detail: str
    # What is wrong alone: `remedy` is the next step.
    message: str
    # What is wrong, for programs: `unknown_arm`, `unknown_recording`, `disconnected`, `stopped`, `owned`,
    # `not_initialised`, `uncalibrated`, `bad_pair`, `already_mirroring`, `no_sample`, `not_simulated`,
    # `bad_request`, `unsupported`, `unavailable`, `unattended`, `internal`, `unauthorised`, `forbidden`,
    # `not_found`, `method_not_allowed`, `too_slow`, `conflict`, `no_length`, `too_large`, `compressed`,
    # `no_such_bytes`, `unknown_expectation`, `invalid`, `too_many`. More may come.
    code: str
    # The next step, where another part of the bridge offers one.
    remedy: Union[Literal["init", "reset", "torque_on", "take_over", "stop_mirroring", "stop_recording", "list_ports", "connect", "calibrate"], None]
    # Id of the request, as in X-Request-Id and in the log.
    request_id: str


class ProblemDetails(_ProblemDetails, total=False):
    """An error as RFC 9457 has it, for those who accept application/problem+json."""

    # Faults of a request that fails validation.
    errors: List["ValidationError"]


class Activity(TypedDict):
    # trajectory, waypoints, chunks, mirror, stream, jog or float.
    kind: str
    # Of its present leg, 0 to 1; null for a motion without an end.
    progress: Union[float, None]


class ArmStateJoints(TypedDict):
    # rad
    position: List[Union[float, None]]
    # Where the joints are asked to be, rad; null without torque.
    goal: List[Union[float, None]]
    # rad/s
    velocity: List[Union[float, None]]
    # Nm, estimated by the servo.
    effort: List[Union[float, None]]
    # Torque that something outside puts on the joint, Nm, estimated; null without torque.
    external: List[Union[float, None]]
    # Degrees Celsius.
    temperature: List[Union[float, None]]
    # V
    voltage: List[Union[float, None]]
    # Alarm bits of the servo; 0 = healthy.
    alarm: List[int]


class ArmStateTool(TypedDict):
    # x y z, m
    position: List[float]
    orientation: List[float]


class ArmStateWrench(TypedDict):
    # x y z, N
    force: List[float]
    # x y z, Nm
    moment: List[float]


class ArmState(TypedDict):
    id: int
    state: Literal["disconnected", "connected", "ready", "moving", "mirroring", "floating", "stopped"]
    # Client that has the arm; null if the arm is free.
    owner: Union[str, None]
    # Time since which that client has the arm, seconds since the epoch; null if the arm is free.
    owner_since: Union[float, None]
    torque: bool
    # Whether its own servos have stopped it: it may be lowered before it is reset.
    failed: bool
    # Whether /move/init has set the zero.
    initialised: bool
    # A calibration, or the model of a simulated arm, says where its joints are at zero.
    calibrated: bool
    # Joints that are measured beyond their limits.
    outside_limits: List[str]
    # Why its angles may be wrong, so that motions need `uncalibrated=true`; empty otherwise.
    doubt: str
    # Why it is disconnected or stopped; empty otherwise.
    reason: str
    # Time of the bus read, seconds since the epoch; 0 before the first.
    sampled: float
    joints: "ArmStateJoints"
    # In the base frame; orientation as a quaternion x y z w.
    tool: Union["ArmStateTool", None]
    # What the external torques mean at the tool, in axes of the base; null without torque.
    wrench: Union["ArmStateWrench", None]
    # Opening of the gripper, 0 closed to 1 open.
    opening: Union[float, None]
    # What drives it; null: nothing.
    motion: Union["Activity", None]


class ObjectPose(TypedDict):
    # Id of the simulated arm in front of which the object stands.
    robot_id: int
    name: str
    # x y z in the base frame of the arm, m
    position: List[float]
    # As a quaternion x y z w.
    orientation: List[float]


class JointFactsServos(TypedDict):
    id: int
    model: str


class JointFacts(TypedDict):
    name: str
    role: str
    lower: float
    upper: float
    # Largest speed of moves, rad/s.
    velocity: float
    # Largest torque that its servo gives, Nm.
    torque_limit: float
    unit: Literal["rad"]
    # What it was led over while it was calibrated, laid about the middle of its limits: its angles at the least and
    # at the greatest servo step. Its limits, where it was not calibrated.
    travel: List[float]
    # Calibrating found its servo the other way round than the data of the arm say.
    turned: bool
    servos: List["JointFactsServos"]


class ArmFactsMount(TypedDict):
    """Pose of its base in the world: m and rad."""

    xyz: List[float]
    rpy: List[float]


class ArmFactsGripper(TypedDict):
    index: int
    closed: float
    open: float


class ArmFacts(TypedDict):
    id: int
    name: str
    # Folder below robots/.
    model: str
    # Build of the model.
    variant: str
    # Name of the arm that leads it in the configuration; null: none.
    leader: Union[str, None]
    title: str
    bus: str
    simulated: bool
    # Another machine owns its bus.
    remote: bool
    base_link: str
    tool_link: str
    # Pose of its base in the world: m and rad.
    mount: "ArmFactsMount"
    joints: List["JointFacts"]
    # Index of its joint and its angles when closed and open.
    gripper: Union["ArmFactsGripper", None]
    # Named poses, rad.
    poses: Dict[str, List[float]]
    # What the alarm bits of its servos mean, by the bit.
    alarms: Dict[str, str]


class PairStateForceFeedback(TypedDict):
    """How much of what pushes the follower its leader feels while it floats, 0 to 1."""

    arm: float
    gripper: float


class PairState(TypedDict):
    leader: str
    follower: str
    state: Literal["idle", "starting", "ramping", "mirroring", "holding"]
    # Client that started the pair.
    owner: str
    # Time since which that client has it, seconds since the epoch.
    owner_since: float
    # Goals written per second.
    rate: float
    # From sample to goal, in seconds; null before the first.
    latency: Union[float, None]
    # How much of what pushes the follower its leader feels while it floats, 0 to 1.
    force_feedback: "PairStateForceFeedback"
    # Why the pair last stopped or held, or why the follower stays behind.
    reason: str


class PairList(TypedDict):
    # Whether mirroring runs.
    active: bool
    # Why mirroring last stopped.
    reason: str
    pairs: List["PairState"]


class Percentiles(TypedDict):
    p50: float
    p99: float
    longest: float


class CycleTiming(TypedDict):
    # Over the last 10 s, in seconds.
    recent: "Percentiles"
    # Since the start, in seconds.
    total: "Percentiles"


class LoopStatePeriodHistogram(TypedDict):
    """Cycles of the last 10 s by their period."""

    # Width of a bin, in seconds; the first bin begins at 0.
    width: float
    # Cycles of each bin; the last has all longer periods too.
    counts: List[int]


class LoopState(TypedDict):
    """The control loop."""

    cycles: int
    # Configured rate, Hz.
    rate: float
    # Cycles that began later than half a period.
    late: int
    # What keeps this computer from keeping up; empty when it does.
    trouble: str
    # Mean of the last second, s.
    period: float
    # Of the last second, s.
    longest_period: float
    # Real-time priority of the control thread; null without one.
    priority: Union[int, None]
    # From the beginning of a cycle to that of the next.
    periods: "CycleTiming"
    # Time by which a cycle began too late.
    lateness: "CycleTiming"
    # From the beginning of a read until goals made of it had been written.
    latency: "CycleTiming"
    # Cycles of the last 10 s by their period.
    period_histogram: "LoopStatePeriodHistogram"


class RosStatePreparing(TypedDict):
    step: str
    # About how long until ROS is on, s.
    left: float


class RosState(TypedDict):
    enabled: bool
    # Why ROS is off; empty otherwise.
    reason: str
    distro: Union[str, None]
    # While ROS is off for now: what is being done so that it can be on.
    preparing: Union["RosStatePreparing", None]


class LogLine(TypedDict):
    # Seconds since the epoch.
    time: float
    # trace, debug, info, warn, error or fatal.
    level: str
    message: str


class ArmAsk(TypedDict):
    id: str
    # Name of the arm.
    arm: str
    # Client that asks for the arm.
    asker: str
    # Client that is asked: the owner of the arm, or whoever started the pair that uses it.
    owner: str
    # State of the request. `refused`: the owner said no. `over`: nobody answered, or the owner no longer has the
    # arm.
    state: Literal["open", "given", "refused", "over"]
    # State of the request as a sentence.
    message: str
    # Time until which the request can be answered, seconds since the epoch.
    ends: float


class JournalEvent(TypedDict):
    # Number of the entry; newer entries have larger numbers.
    id: int
    # When the action began, seconds since the epoch.
    time: float
    # What was done.
    act: Literal["motion", "torque", "halt", "stop", "reset", "ask", "take_over", "release", "mirroring", "calibration", "configuration", "recording", "simulation"]
    # Name of the arm; null if the action concerns several arms or none.
    arm: Union[str, None]
    # Client that requested it.
    who: str
    # Where the request came from: an address, this computer, ROS 2, or the bridge itself.
    origin: str
    # Method and path of the request, or the ROS 2 service, action or topic.
    what: str
    # Id of the HTTP request, as in X-Request-Id, or of the ROS 2 request; null if it was neither.
    request_id: Union[str, None]
    # Client that lost the arm to this one; null if the arm was free.
    taken_from: Union[str, None]
    # Result of the action. `ended`: somebody or something else ended it.
    outcome: Literal["under_way", "done", "failed", "refused", "ended"]
    # Why the action failed, was refused or was ended; null otherwise.
    message: Union[str, None]
    # When the action was over, seconds since the epoch; null while it is under way.
    ended: Union[float, None]
    # Number of repetitions that this entry stands for, such as the messages of a stream.
    count: int


class ArmOverviewMount(TypedDict):
    """Pose of its base in the world: m and rad."""

    xyz: List[float]
    rpy: List[float]


class ArmOverviewGripper(TypedDict):
    index: int
    closed: float
    open: float


class ArmOverview(TypedDict):
    id: int
    name: str
    # Folder below robots/.
    model: str
    # Build of the model.
    variant: str
    # Name of the arm that leads it in the configuration; null: none.
    leader: Union[str, None]
    title: str
    bus: str
    simulated: bool
    # Another machine owns its bus.
    remote: bool
    base_link: str
    tool_link: str
    # Pose of its base in the world: m and rad.
    mount: "ArmOverviewMount"
    joints: List["JointFacts"]
    # Index of its joint and its angles when closed and open.
    gripper: Union["ArmOverviewGripper", None]
    # Named poses, rad.
    poses: Dict[str, List[float]]
    # What the alarm bits of its servos mean, by the bit.
    alarms: Dict[str, str]
    now: "ArmState"


class ArmList(TypedDict):
    arms: List["ArmOverview"]


class MotionState(TypedDict):
    state: Literal["disconnected", "connected", "ready", "moving", "mirroring", "floating", "stopped"]
    # Client that has the arm; null if the arm is free.
    owner: Union[str, None]
    # Time since which that client has the arm, seconds since the epoch; null if the arm is free.
    owner_since: Union[float, None]
    # What drives the arm; null: nothing.
    motion: Union["Activity", None]


class ReachableAnswer(TypedDict):
    # The move would be accepted and could meet its tolerances.
    reachable: bool
    # Why not.
    message: Union[str, None]
    # Where the joints would go, rad; null where they cannot.
    joints: Union[List[float], None]


class AskAnswer(TypedDict):
    # Null: nobody else has the arm.
    ask: Union["ArmAsk", None]
    # State of the request as a sentence.
    message: str


class AskReply(TypedDict):
    # The arm is given away; false: not now.
    give: bool


class LogAnswer(TypedDict):
    # Number of the next line to be written: pass it as `start` to get only newer lines.
    next: int
    # Number of the first line in this answer: pass it as `before` to get older lines. `next` if there is none.
    first: int
    lines: List["LogLine"]


class _CalibrateResponse(TypedDict):
    calibration_status: Literal["error", "success", "in_progress"]
    # What has been done, and what to do before the next call.
    message: str
    # 1 to total_nb_steps; 0 before the first.
    current_step: int
    total_nb_steps: int


class CalibrateResponse(_CalibrateResponse, total=False):
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class SweptJoint(TypedDict):
    name: str
    # From the middle pose, rad; null before the first sample.
    position: Union[float, None]
    # Least position so far, rad.
    least: Union[float, None]
    # Largest position so far, rad.
    most: Union[float, None]
    # Range that the data of the arm give, rad.
    range: float
    # It has been led to both of its ends, or need not be.
    done: bool


class _CalibrationState(TypedDict):
    calibration_status: Literal["error", "success", "in_progress"]
    # What has been done, and what to do before the next call.
    message: str
    # 1 to total_nb_steps; 0 before the first.
    current_step: int
    total_nb_steps: int
    joints: List["SweptJoint"]


class CalibrationState(_CalibrationState, total=False):
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class _Chunk(TypedDict):
    # One row per point, one number per joint, rad.
    positions: List[List[float]]
    # When each point is due, s after `observed`; increasing.
    times: List[float]


class Chunk(_Chunk, total=False):
    """A piece of motion, as a policy makes it."""

    # Joints by name, one per column of positions; left out: all of the arm in their order.
    joints: List[str]
    # When the observation was made, seconds since the epoch by the bridge’s clock: `sampled` of the arm’s state.
    # Null: times count from the arrival of the chunk.
    observed: Union[float, None]
    # Most time from `observed` to the arrival, s: an older chunk is skipped as a whole.
    latency: float
    # Least time in which it takes over from what runs, s; longer where half of the arm’s limits need it.
    blend: float
    # Without a newer chunk for this long the arm comes to rest and holds, s.
    dead_man: float


class ChunkOutcome(TypedDict):
    # Id of the motion that follows the chunks; null when this one is skipped as a whole.
    motion: Union[str, None]
    # From the observation to the arrival, s.
    age: float
    # Points that are followed.
    kept: int
    # Points whose time had passed.
    skipped: int
    # From now to the first kept point, s.
    begins: float
    # From now to the last point, s: the next chunk is to come before.
    ends: float
    # Joints that cannot be so fast: they come later.
    slowed: List[str]
    # Why it is skipped as a whole; null when it is not.
    message: Union[str, None]


class ConnectionDetails(TypedDict, total=False):
    """Empty for an arm that the bridge knows by its name; otherwise one of the first three."""

    # Device file, or the link to it, as /local/scan-devices shows them.
    device_name: Union[str, None]
    # Serial number of its USB adapter, as /local/scan-devices shows it.
    serial_number: Union[str, None]
    # Its bus as in the configuration: serial:..., sim:<model>, or a network bus that is named there.
    bus: Union[str, None]
    # Build of the model, for one that is to be added; follower when left out.
    variant: Union[str, None]


class RobotConnectionRequest(TypedDict):
    # Name of an arm of this bridge, or the model of one that is to be added: a folder of robots/, or so-100,
    # so-101, koch-v1.1 or wx-250s.
    robot_name: str
    connection_details: "ConnectionDetails"


class _RobotConnectionResponse(TypedDict):
    # Id of the arm, by which all other requests name it.
    robot_id: int


class RobotConnectionResponse(_RobotConnectionResponse, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class LocalDevice(TypedDict):
    # What the device calls itself, or what it is taken for.
    name: str
    # Device file.
    device: str
    # USB serial number.
    serial_number: Union[str, None]
    # USB product id.
    pid: Union[int, None]
    # Link that stays the same over replugging.
    interface: Union[str, None]


class ScanDevicesResponse(TypedDict):
    devices: List["LocalDevice"]


class Recording(TypedDict):
    name: str
    # Dataset (folder of episodes) of the recording; null if it has none.
    dataset: Union[str, None]
    # joints: only joint states; episode: everything that its arms did.
    content: Literal["joints", "episode"]
    # Size of its file, bytes.
    bytes: int
    # Time of the first message, seconds since the epoch.
    began: float
    # Length of the recording, in seconds.
    duration: float
    messages: int
    # Names of the arms with recorded joint states.
    arms: List[str]
    task: str
    operator: str
    verdict: Literal["", "good", "bad"]
    # Why an episode was broken off before anybody ended it, such as a full disk; empty if it was not.
    ended_early: str
    # Why the recording cannot be read, for example because nothing of it could be saved when the bridge was killed;
    # empty if it can.
    problem: str


class RecordedTopic(TypedDict):
    name: str
    type: str
    messages: int


class RecordingFacts(TypedDict):
    name: str
    # Dataset (folder of episodes) of the recording; null if it has none.
    dataset: Union[str, None]
    # joints: only joint states; episode: everything that its arms did.
    content: Literal["joints", "episode"]
    # Size of its file, bytes.
    bytes: int
    # Time of the first message, seconds since the epoch.
    began: float
    # Length of the recording, in seconds.
    duration: float
    messages: int
    # Names of the arms with recorded joint states.
    arms: List[str]
    task: str
    operator: str
    verdict: Literal["", "good", "bad"]
    # Why an episode was broken off before anybody ended it, such as a full disk; empty if it was not.
    ended_early: str
    # Why the recording cannot be read, for example because nothing of it could be saved when the bridge was killed;
    # empty if it can.
    problem: str
    # Path of the file on the computer of the bridge.
    path: str
    topics: List["RecordedTopic"]


class RecordingList(TypedDict):
    # The newest first; fewer than `limit` if they would not fit into 64 kB.
    recordings: List["Recording"]
    # Number of all recordings, including those that this answer leaves out.
    total: int
    # Names of the datasets, sorted; at most the first 200.
    datasets: List[str]
    folder: str
    # Size of all recordings together, bytes.
    used: int
    # Bytes that all recordings together may take (recording.quota).
    quota: int
    # Free bytes on the disk.
    free: int
    # Warning before the room for recordings runs out; empty while there is enough.
    warning: str


class RecordingChangeRequest(TypedDict, total=False):
    # New name of the recording.
    name: str
    # Task that the episode shows, as in a training set.
    task: str
    # Person who leads the arms.
    operator: str
    # Whether to use the episode; empty: nobody has judged it yet.
    verdict: Literal["", "good", "bad"]


class _RecordingTrimRequest(TypedDict):
    # Seconds after the first message of the recording.
    begin: float
    # Seconds after the first message of the recording.
    end: float


class RecordingTrimRequest(_RecordingTrimRequest, total=False):
    # Of the new recording. Null or left out: that of the old one with `-trimmed`.
    name: Union[str, None]


class RecordingSamples(TypedDict):
    # Name of the recorded arm.
    source: str
    joints: List[str]
    # Length of the whole recording, in seconds.
    duration: float
    # Seconds after the first message of the recording.
    times: List[float]
    # As measured, in radians: of each joint its values at these times.
    positions: List[List[Union[float, None]]]
    # Where they were asked to be, in radians; null where nothing asked.
    goals: List[List[Union[float, None]]]
    # What something outside put on them, estimated, in Nm; null where the arm was limp.
    external: List[List[Union[float, None]]]


class RecordingForeseenUnreached(TypedDict):
    # Seconds after the first message of the recording.
    begin: float
    # End of the part, in seconds after the first message of the recording.
    end: float
    # Which joint would go beyond its limits, or which links would touch.
    text: str


class RecordingForeseen(TypedDict):
    # Name of the recorded arm.
    source: str
    # Length of the whole recording, in seconds.
    duration: float
    # Seconds after the first message of the recording.
    times: List[float]
    # Where the joints of the arm would be, in radians: of each its values at these times. Beyond a limit they stay
    # at it.
    positions: List[List[Union[float, None]]]
    # What of it the arm cannot reach, the first of it.
    unreached: List["RecordingForeseenUnreached"]
    # What `/recording/play` would say instead of beginning; null: it would begin. It looks at the first 30 s, and
    # at the rest while it runs.
    refusal: Union[str, None]


class _RecordingResponse(TypedDict):
    recording: "RecordingFacts"


class RecordingResponse(_RecordingResponse, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class EpisodeStartRequest(TypedDict, total=False):
    # Letters, digits, _ and -, at most 64. Null or left out: the dataset and the present time.
    name: Union[str, None]
    # Folder of episodes that it is to belong to; null: none.
    dataset: Union[str, None]
    # Names of the arms that take part; left out: all that are connected.
    arms: List[str]
    # Task that the episode shows, as in a training set.
    task: str
    # Person who leads the arms.
    operator: str


class EpisodeStopRequest(TypedDict, total=False):
    # False: delete the episode.
    keep: bool
    # Task that the episode shows, as in a training set.
    task: str
    # Person who leads the arms.
    operator: str
    # Whether to use the episode; empty: nobody has judged it yet.
    verdict: Literal["", "good", "bad"]


class EpisodeMarkRequest(TypedDict, total=False):
    # Text of the mark: what has just happened.
    text: str


class RunningEpisode(TypedDict):
    name: str
    dataset: Union[str, None]
    # Path of the file on the computer of the bridge, once it is complete.
    path: str
    arms: List[str]
    task: str
    operator: str
    # When it began, seconds since the epoch.
    began: float
    # Length so far, in seconds.
    duration: float
    # Why it has ended early, for instance a full disk; null while it runs.
    problem: Union[str, None]
    # Topics of cameras that are to be recorded (`recording.images`) and of which nothing comes.
    silent_cameras: List[str]


class _EpisodeResponse(TypedDict):
    # The running episode; null if none is being recorded.
    episode: Union["RunningEpisode", None]


class EpisodeResponse(_EpisodeResponse, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class EpisodeStopResponse(TypedDict, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str
    name: str
    # Path of the file on the computer of the bridge; empty if the recording is not kept.
    path: str
    # Joint states of all its arms.
    samples: int
    # Cycles of the control loop that could not be recorded.
    lost: int
    # Length of the episode, in seconds.
    duration: float


class EventList(TypedDict):
    # Newest first, by `id`.
    events: List["JournalEvent"]


class _StopResponse(TypedDict):
    # Ids of the arms for which it is done.
    robots: List[int]


class StopResponse(_StopResponse, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class BridgeOverviewRosGraph(TypedDict):
    # ROS_DOMAIN_ID
    domain: int
    # Below which its arms are.
    namespace: str
    # Other nodes may drive its arms.
    commands: bool
    # Other machines find it.
    network: bool


class BridgeOverviewRos(TypedDict):
    """By which pairs go from bridge to bridge."""

    # Why ROS 2 is off; empty when it is on.
    reason: str
    # Null while it is off.
    graph: Union["BridgeOverviewRosGraph", None]


class BridgeOverviewPairs(TypedDict):
    leader: str
    # Of this bridge, or of another one.
    follower: str
    # As in `GET /api/v1/pairs`; idle: it has ended.
    state: str
    # Why it has ended or holds, or why the follower stays behind.
    reason: str


class BridgeOverviewArms(TypedDict):
    name: str
    # Folder below robots/.
    model: str
    # Build of the model.
    variant: str
    # Of its model.
    title: str
    simulated: bool
    # Another machine owns its bus.
    remote: bool
    # As in `GET /status`.
    state: str
    torque: bool
    # Who has the arm; null when it is free.
    owner: Union[str, None]
    # Since when, seconds since the epoch.
    owner_since: Union[float, None]
    # Why it is disconnected or stopped; empty otherwise.
    reason: str
    # Why its angles may be wrong; empty otherwise.
    doubt: str


class BridgeOverview(TypedDict):
    # Of this run of the bridge: two addresses with the same id are one bridge.
    id: str
    # As `fleet.name` says, or that of the computer.
    name: str
    version: str
    # Port that hears stops alone; null: none.
    stop_port: Union[int, None]
    # Why the control loop is late; empty when it keeps up.
    trouble: str
    # By which pairs go from bridge to bridge.
    ros: "BridgeOverviewRos"
    # Pairs that this bridge carries out, and how those ended that it has carried out last.
    pairs: List["BridgeOverviewPairs"]
    arms: List["BridgeOverviewArms"]


class OtherBridge(TypedDict):
    # Where it is asked; its page is there too.
    url: str
    # `fleet.bridges` names it; others have been found on the network.
    configured: bool
    # unknown: it has not been heard yet; refuses: it wants another token, or is no bridge; untrusted: its
    # certificate does not prove who it is, and it is told nothing.
    state: Literal["unknown", "answers", "refuses", "untrusted", "silent"]
    # Why it refuses, is not trusted or is silent, and what to do; empty otherwise.
    reason: str
    # When it was heard last, seconds since the epoch; null: never.
    seen: Union[float, None]
    # What it said last; null: nothing yet.
    bridge: Union["BridgeOverview", None]


class BridgesAnswer(TypedDict):
    here: "BridgeOverview"
    # The other bridges from number `offset` on, as many as fit into 64 kB.
    others: List["OtherBridge"]
    # Number of other bridges, including those that this answer leaves out.
    total: int


class BridgesStopAnswerBridges(TypedDict):
    name: str
    url: Union[str, None]
    stopped: bool
    message: str


class _BridgesStopAnswer(TypedDict):
    # This bridge first, which has no `url` here.
    bridges: List["BridgesStopAnswerBridges"]


class BridgesStopAnswer(_BridgesStopAnswer, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class MonitoringTarget(TypedDict):
    targets: List[str]
    labels: Dict[str, str]


class JointsReadRequest(TypedDict, total=False):
    # Of the angles; motor_units are servo steps.
    unit: Literal["rad", "motor_units", "degrees"]
    # Joints by their place in the arm, from 0. Null, left out or empty: all in their order.
    joints_ids: Union[List[int], None]
    # robot: as the encoders measure; sim: where the joints are asked to be.
    source: Literal["sim", "robot"]


class JointsReadResponse(TypedDict):
    # Null for a joint that has not been measured yet.
    angles: List[Union[float, None]]
    unit: Literal["rad", "motor_units", "degrees"]


class _JointsWriteRequest(TypedDict):
    # One for each of joints_ids, or for the first joints of the arm; the others keep their goals.
    angles: List[float]


class JointsWriteRequest(_JointsWriteRequest, total=False):
    # Of the angles; motor_units are servo steps.
    unit: Literal["rad", "motor_units", "degrees"]
    # Joints by their place in the arm, from 0. Null, left out or empty: all in their order.
    joints_ids: Union[List[int], None]


class TorqueReadResponse(TypedDict):
    # Of each joint, Nm, estimated from its servo’s load.
    current_torque: List[float]


class _TorqueControlRequest(TypedDict):
    # true: hold where it is. false: lower to the rest pose, then go limp.
    torque_status: bool


class TorqueControlRequest(_TorqueControlRequest, total=False):
    # With torque_status false: go limp at once, wherever the arm is. It drops.
    force: bool


class LiveHello(TypedDict):
    """First, and again when an arm is added or others call this client by another name."""

    type: Literal["hello"]
    # Version of the bridge.
    version: str
    # What this client may do.
    scopes: List[Literal["read", "control"]]
    # Name by which others see this client.
    client: str
    arms: List["ArmFacts"]


class LiveArms(TypedDict):
    type: Literal["arms"]
    # Time of the frame, seconds since the epoch.
    t: float
    arms: List["ArmState"]


class LiveObjects(TypedDict):
    type: Literal["objects"]
    # Time of the frame, seconds since the epoch.
    t: float
    # What stands before simulated arms; GET /sim/objects says what it is.
    objects: List["ObjectPose"]


class LivePairs(TypedDict):
    type: Literal["pairs"]
    # Time of the frame, seconds since the epoch.
    t: float
    # Whether mirroring runs.
    active: bool
    # Why mirroring last stopped.
    reason: str
    pairs: List["PairState"]


class LiveLoopPeriodHistogram(TypedDict):
    """Cycles of the last 10 s by their period."""

    # Width of a bin, in seconds; the first bin begins at 0.
    width: float
    # Cycles of each bin; the last has all longer periods too.
    counts: List[int]


class LiveLoop(TypedDict):
    type: Literal["loop"]
    # Time of the frame, seconds since the epoch.
    t: float
    cycles: int
    # Configured rate, Hz.
    rate: float
    # Cycles that began later than half a period.
    late: int
    # What keeps this computer from keeping up; empty when it does.
    trouble: str
    # Mean of the last second, s.
    period: float
    # Of the last second, s.
    longest_period: float
    # Real-time priority of the control thread; null without one.
    priority: Union[int, None]
    # From the beginning of a cycle to that of the next.
    periods: "CycleTiming"
    # Time by which a cycle began too late.
    lateness: "CycleTiming"
    # From the beginning of a read until goals made of it had been written.
    latency: "CycleTiming"
    # Cycles of the last 10 s by their period.
    period_histogram: "LiveLoopPeriodHistogram"
    ros: "RosState"


class LiveLog(TypedDict):
    type: Literal["log"]
    # Time of the frame, seconds since the epoch.
    t: float
    # Since the last frame; the first has the newest hundred.
    lines: List["LogLine"]


class LiveEvents(TypedDict):
    type: Literal["events"]
    # Time of the frame, seconds since the epoch.
    t: float
    # New or changed since the last frame, the newest first; the first frame has the newest hundred.
    events: List["JournalEvent"]


class LiveAsks(TypedDict):
    type: Literal["asks"]
    # Time of the frame, seconds since the epoch.
    t: float
    # All that are open, and what became of others in the last minute.
    asks: List["ArmAsk"]


class LiveServerSentEvent(TypedDict):
    # Type of the frame.
    event: Literal["hello", "arms", "objects", "pairs", "loop", "log", "events", "asks"]
    # The frame as JSON.
    data: str


class _LiveRefusal(TypedDict):
    type: Literal["refused"]
    # Type of the message that is not carried out, or unknown.
    request: str
    reason: str


class LiveRefusal(_LiveRefusal, total=False):
    # That was to be driven.
    arm: int


class _LiveStopped(TypedDict):
    type: Literal["stop"]


class LiveStopped(_LiveStopped, total=False):
    """What has become of a stop."""

    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class LiveChunkOutcome(TypedDict):
    """What has become of a chunk."""

    type: Literal["chunk"]
    # Id of the arm.
    arm: int
    # Id of the motion that follows the chunks; null when this one is skipped as a whole.
    motion: Union[str, None]
    # From the observation to the arrival, s.
    age: float
    # Points that are followed.
    kept: int
    # Points whose time had passed.
    skipped: int
    # From now to the first kept point, s.
    begins: float
    # From now to the last point, s: the next chunk is to come before.
    ends: float
    # Joints that cannot be so fast: they come later.
    slowed: List[str]
    # Why it is skipped as a whole; null when it is not.
    message: Union[str, None]


class _LiveSubscribe(TypedDict):
    type: Literal["subscribe"]


class LiveSubscribe(_LiveSubscribe, total=False):
    # Left out: all.
    topics: List[Literal["arms", "objects", "pairs", "loop", "log", "events", "asks"]]
    # Frames of arms, and of objects that move, per second, 20 when left out; the others come at most 5 times a
    # second.
    rate: float


class _LiveTwist(TypedDict):
    # x y z, m/s
    linear: List[float]
    # About x y z, rad/s
    angular: List[float]


class LiveTwist(_LiveTwist, total=False):
    # Whose axes these are.
    frame: Literal["base", "tool"]


class _LiveJog(TypedDict):
    type: Literal["jog"]
    # Id of the arm.
    arm: int


class LiveJog(_LiveJog, total=False):
    """The arm moves at these speeds for 0.2 s: send it again at least 10 times a second."""

    # Speeds by joint name, rad/s; those that are left out do not move.
    joints: Dict[str, float]
    # Speed of the tool, in place of joints.
    twist: "LiveTwist"
    # Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s.
    uncalibrated: bool


class _LiveChunk(TypedDict):
    type: Literal["chunk"]
    # Id of the arm.
    arm: int
    # One row per point, one number per joint, rad.
    positions: List[List[float]]
    # When each point is due, s after `observed`; increasing.
    times: List[float]


class LiveChunk(_LiveChunk, total=False):
    """As POST /api/v1/arms/{name}/chunks. When the connection closes the arm comes to rest and holds."""

    # Joints by name, one per column of positions; left out: all of the arm in their order.
    joints: List[str]
    # When the observation was made, seconds since the epoch by the bridge’s clock: `sampled` of the arm’s state.
    # Null: times count from the arrival of the chunk.
    observed: Union[float, None]
    # Most time from `observed` to the arrival, s: an older chunk is skipped as a whole.
    latency: float
    # Least time in which it takes over from what runs, s; longer where half of the arm’s limits need it.
    blend: float
    # Without a newer chunk for this long the arm comes to rest and holds, s.
    dead_man: float
    # Take the arm from whoever drives it.
    take_over: bool
    # Move it although it has no calibration: at no more than 0.3 rad/s.
    uncalibrated: bool


class _LiveJoints(TypedDict):
    type: Literal["joints"]
    # Id of the arm.
    arm: int
    # Goals by joint name, rad; those that are left out keep theirs. One beyond a limit goes as far as the limit.
    positions: Dict[str, float]


class LiveJoints(_LiveJoints, total=False):
    """The arm follows the newest goals, and holds when none have come for 0.2 s: send them at least 10 times a second."""

    # Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s.
    uncalibrated: bool


class LiveStop(TypedDict):
    """All arms stop, latched, as by POST /stop."""

    type: Literal["stop"]


class SessionRequest(TypedDict, total=False):
    # As in http.token_file.
    token: str


class SessionAnswer(TypedDict):
    # What the page may do from now on.
    scopes: List[Literal["read", "control"]]


class Invitation(TypedDict):
    # Where other computers open the page; null: they do not reach the bridge.
    origin: Union[str, None]
    # That of http.read_token_file, which may look and stop alone; null: there is none.
    token: Union[str, None]


class RobotPairRequest(TypedDict):
    # Id of the leader arm, as in the configuration.
    leader_id: Union[int, None]
    # Id of the follower arm, as in the configuration.
    follower_id: Union[int, None]


class GravityCompensationValues(TypedDict, total=False):
    """Share of the weight that is held, in percent."""

    shoulder: int
    elbow: int
    wrist: int


class ForceFeedback(TypedDict, total=False):
    """How much of the torques that push a follower its leader feels, 0 to 1. The leader must float."""

    # Of its own joints.
    arm: float
    # Of its gripper.
    gripper: float


class ForceFeedbackChange(TypedDict, total=False):
    """As `force_feedback` of the start. A part that is left out stays as it is; at least one is needed."""

    # Of its own joints.
    arm: float
    # Of its gripper.
    gripper: float


class _StartLeaderArmControlRequest(TypedDict):
    # Leaders and their followers.
    robot_pairs: List["RobotPairRequest"]


class StartLeaderArmControlRequest(_StartLeaderArmControlRequest, total=False):
    # Hold the weight of the leader arms; false: they are limp.
    enable_gravity_compensation: bool
    # Share of the weight that is held, in percent. Null or left out: the default of each.
    gravity_compensation_values: Union["GravityCompensationValues", None]
    # Mirror left and right for the follower arms.
    invert_controls: bool
    # A follower away from its leader: it approaches slowly, or nothing is started. Default: as configured, else
    # ramp.
    on_mismatch: Literal["ramp", "refuse"]
    # Difference of a joint from which refuse refuses, in degrees. Default: as configured, else 11.5.
    mismatch_threshold: float
    # Who goes to whom first; a leader goes by itself, by a checked way. Default: as configured, else follower.
    align: Literal["follower", "leader"]
    force_feedback: "ForceFeedback"


class GravityStartRequest(TypedDict, total=False):
    # Share of the weight that is held, in percent. Null or left out: the default of each.
    gravity_compensation_values: Union["GravityCompensationValues", None]


class MotionTarget(TypedDict, total=False):
    """In the absolute frame, zero at the pose init; for relative the change from the present goal."""

    # Forward, m.
    x: float
    # To the left, m.
    y: float
    # Upwards, m.
    z: float
    # rad; positive lifts the nose.
    pitch: float
    # rad; positive turns left.
    yaw: float
    # rad; positive is clockwise seen from behind.
    roll: float
    # Gripper: 0 closed to 1 open.
    open: float
    # joint: the quickest way. line: the tool goes straight.
    path: Literal["joint", "line"]
    # Most trials to come within tolerance.
    max_trials: int
    # m
    position_tolerance: float
    # rad
    orientation_tolerance: float


class _MotionReplay(TypedDict):
    # Name of the recording.
    name: str


class MotionReplay(_MotionReplay, total=False):
    # 1: as recorded.
    speed: float
    # The recorded arm that is followed.
    source: Union[str, None]


class MotionRequest(TypedDict, total=False):
    """Exactly one of these fields."""

    # Pose of the tool to move to, as in /move/absolute.
    pose: "MotionTarget"
    # Relative motion, as in /move/relative.
    relative: "MotionTarget"
    # Joint angles by name, rad; others keep theirs.
    joints: Dict[str, float]
    # Named pose to move to: init, rest, ...
    named: str
    # Opening of the gripper alone: 0 closed to 1 open.
    gripper: float
    # Recording to replay, as in /recording/play.
    replay: "MotionReplay"


class MotionFacts(TypedDict):
    id: str
    arm: str
    # What was asked: pose, relative, joints, named, gripper, replay or chunks; of older routes their path.
    kind: str
    state: Literal["moving", "done", "failed", "cancelled"]
    # Completed part of the present leg, 0 to 1; null if unknown.
    progress: Union[float, None]
    # Client that requested it.
    who: str
    # Id of the HTTP request; null if it was no HTTP request.
    request_id: Union[str, None]
    # When the motion began, seconds since the epoch.
    began: float
    # When the motion ended, seconds since the epoch; null while it is under way.
    ended: Union[float, None]
    # Why the motion was not completed; null otherwise.
    message: Union[str, None]


class MotionList(TypedDict):
    # The newest first.
    motions: List["MotionFacts"]


class MoveResponse(TypedDict, total=False):
    """How a motion has ended. The errors are those by the encoders; they are left out where nothing moved."""

    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str
    # Distance between asked and measured position, in centimetres; null where nothing was asked of it.
    position_error: Union[float, None]
    # Smallest rotation to the asked angles, in degrees; null where nothing was asked of it.
    orientation_error: Union[float, None]
    # Trials made.
    trials: int
    # From acceptance to the end of the motion, in seconds.
    duration: float


class _ArmMoveResponse(TypedDict):
    robot_id: int
    # Of the arm.
    name: str


class ArmMoveResponse(_ArmMoveResponse, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str
    # Distance between asked and measured position, in centimetres; null where nothing was asked of it.
    position_error: Union[float, None]
    # Smallest rotation to the asked angles, in degrees; null where nothing was asked of it.
    orientation_error: Union[float, None]
    # Trials made.
    trials: int
    # From acceptance to the end of the motion, in seconds.
    duration: float


class MoveAllResponse(TypedDict, total=False):
    """How motions of several arms have ended: the worst figures, and every complaint."""

    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str
    # Distance between asked and measured position, in centimetres; null where nothing was asked of it.
    position_error: Union[float, None]
    # Smallest rotation to the asked angles, in degrees; null where nothing was asked of it.
    orientation_error: Union[float, None]
    # Trials made.
    trials: int
    # From acceptance to the end of the motion, in seconds.
    duration: float
    # Each arm by itself, where several moved.
    robots: List["ArmMoveResponse"]


class EndEffectorReadRequest(TypedDict, total=False):
    # The gripper alone: the six others are null. Works before /move/init.
    only_gripper: bool
    # Answer from a read of the motors that began after the request, at most 200 ms.
    sync: bool


class EndEffectorPosition(TypedDict):
    # Centimetres; null with only_gripper.
    x: Union[float, None]
    # Centimetres; null with only_gripper.
    y: Union[float, None]
    # Centimetres; null with only_gripper.
    z: Union[float, None]
    # Absolute pitch in degrees; null with only_gripper.
    rx: Union[float, None]
    # Absolute yaw in degrees; null with only_gripper.
    ry: Union[float, None]
    # Absolute roll in degrees; null with only_gripper.
    rz: Union[float, None]
    # Measured opening, 0 closed to 1 open; null for an arm without a gripper.
    open: Union[float, None]


class GuestArm(TypedDict):
    # Folder below robots/.
    model: str
    # Build of the model.
    variant: str


class _PairStartRequest(TypedDict):
    # Name of the arm.
    leader: str
    # Name of the arm.
    follower: str


class PairStartRequest(_PairStartRequest, total=False):
    # What the follower is, where another machine owns its bus and this configuration need not know it: it is found
    # on the ROS 2 graph, and is here as long as the pair runs. Null: an arm of this bridge.
    guest: Union["GuestArm", None]
    # The leader holds its own weight and yields to the hand; else it goes limp.
    enable_gravity_compensation: bool
    force_feedback: "ForceFeedback"


class PairEndRequest(TypedDict):
    # Name of the arm.
    follower: str


class _BridgeArm(TypedDict):
    # Name of the arm.
    arm: str


class BridgeArm(_BridgeArm, total=False):
    # `url` of the bridge, as GET /api/v1/bridges tells it; null: this one.
    bridge: Union[str, None]


class _BridgesPairStartRequest(TypedDict):
    leader: "BridgeArm"
    follower: "BridgeArm"


class BridgesPairStartRequest(_BridgesPairStartRequest, total=False):
    # The leader holds its own weight and yields to the hand; else it goes limp.
    enable_gravity_compensation: bool
    force_feedback: "ForceFeedback"


class _BridgesPairEndRequest(TypedDict):
    # Name of the arm.
    follower: str


class BridgesPairEndRequest(_BridgesPairEndRequest, total=False):
    # `url` of the bridge that has the leader; null: this one.
    bridge: Union[str, None]


class RecordingStartRequest(TypedDict, total=False):
    name: Union[str, None]
    # Samples per second.
    rate: float


class _RecordingStartResponse(TypedDict):
    # Name of the recording.
    name: str
    # Path of the file on the computer of the bridge.
    path: str


class RecordingStartResponse(_RecordingStartResponse, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class RecordingStopRequest(TypedDict, total=False):
    # False: delete the episode.
    save: bool


class RecordingStopResponse(TypedDict, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str
    # Name of the recording; left out if none was running.
    name: str
    # Path of the file on the computer of the bridge; empty if the recording is not kept.
    path: str
    samples: int
    # In seconds.
    duration: float


class _RecordingPlayRequest(TypedDict):
    # Name of the recording.
    name: str


class RecordingPlayRequest(_RecordingPlayRequest, total=False):
    # 1 as recorded. Where the limits of the arm ask for it, it is slower.
    speed: float
    # The recorded arm that is followed. Null or left out: the one of the same name, or the first.
    source: Union[str, None]


class _RecordingPlayResponse(TypedDict):
    # With the way to its first pose, in seconds.
    duration: float


class RecordingPlayResponse(_RecordingPlayResponse, total=False):
    # Whether it was done.
    status: Literal["ok", "error"]
    # What went wrong, or what was done.
    message: Union[str, None]
    # Id of the request, as in its header X-Request-Id and in the log.
    request_id: str


class VoltageReadResponse(TypedDict):
    # Of each servo, V; null where it is not known.
    current_voltage: Union[List[float], None]


class ServoTemperature(TypedDict):
    # Degrees Celsius.
    current: float
    # Where the servo switches itself off.
    max: float


class TemperatureReadResponse(TypedDict):
    # Of each servo; null where they are not known.
    current_max_Temperature: Union[List["ServoTemperature"], None]


class TemperatureWriteRequest(TypedDict):
    # Where each servo is to switch itself off, degrees Celsius; never above its maker’s maximum.
    maximum_temperature: List[int]


class ServoGains(TypedDict):
    # In counts of the servo’s register.
    p_gain: float
    # In counts of the servo’s register.
    i_gain: float
    # In counts of the servo’s register.
    d_gain: float


class ServoConfig(TypedDict):
    # Model of the arm.
    name: str
    # Mean of the voltages that the servos measure, V.
    servos_voltage: float
    # Servo steps at joint angle 0.
    servos_offsets: List[float]
    # Servo steps a quarter of a turn from that; of the gripper: where it is open.
    servos_calibration_position: List[float]
    # 1 or -1: sense in which steps count.
    servos_offsets_signs: List[float]
    # Read from the servos.
    pid_gains: List["ServoGains"]
    # Load at which the gripper counts as pressing, per mille of its output.
    gripping_threshold: int
    # Load with which it then goes on holding.
    non_gripping_threshold: int


class RobotConfigResponse(TypedDict):
    robot_id: int
    name: str
    # Null where the servos belong to another machine.
    config: Union["ServoConfig", None]
    gripper_joint_index: Union[int, None]
    servo_ids: List[int]
    # Servo steps per turn.
    resolution: int


class SetupServo(TypedDict):
    joint: str
    # That it is to get.
    id: int
    model: str
    # What tells it from others of its model, such as its gear.
    part: Union[str, None]
    # Supply that it is made for, V; several: only the print on it tells which.
    supplies: List[float]
    # It is the one that is to be connected alone.
    due: bool
    # It has its id, or was left out.
    done: bool


class SetupSession(TypedDict):
    name: str
    model: str
    variant: str
    role: Union[Literal["leader", "follower"], None]
    bus: str
    # It is the simulated kit.
    practice: bool
    # look, missing and whole: the servos are to be looked at; single: one is to be connected alone; registers: some
    # are not as wanted; enter: the arm is to be written into the configuration; done: it has been.
    step: Literal["look", "missing", "single", "whole", "registers", "enter", "done"]
    servos: List["SetupServo"]
    # What to connect, and to which supply; empty at steps that need nothing connected.
    instruction: str
    # What the last action has come to.
    said: str
    # What is wrong, and what to do; empty when nothing is.
    fault: str
    # The servo has been given another id before: `reassign` gives it its own all the same.
    given: bool
    # Whether an action is under way.
    busy: bool
    # Arms that it may be paired with, by its role, at the step `enter`.
    counterparts: List[str]
    # Who sets it up.
    by: str


class FreePort(TypedDict):
    # As the configuration names it.
    bus: str
    about: str
    # Kind of adapter that arms have; null: an unknown one.
    adapter: Union[str, None]
    # Models that usually come with this adapter, or with others of its servos.
    likely: List[str]


class ArmBuildsBuilds(TypedDict):
    variant: str
    title: str


class ArmBuilds(TypedDict):
    model: str
    builds: List["ArmBuildsBuilds"]


class SetupStateTrials(TypedDict):
    leader: str
    follower: str


class SetupState(TypedDict):
    # USB adapters on which no arm of this bridge is.
    ports: List["FreePort"]
    models: List["ArmBuilds"]
    # Why there is no simulated kit; empty when there is one.
    no_practice: str
    # Arms that have been set up since the bridge began, and those of `trials`.
    arms: List[str]
    # Configuration file that arms are written to.
    file: str
    # Pairs that follow slowly until somebody confirms that they go the right way: those whose `velocity` is 0.4
    # rad/s, which stands in the configuration until then.
    trials: List["SetupStateTrials"]
    # The arm that is being set up; null if there is none.
    session: Union["SetupSession", None]


class _SetupRequest(TypedDict):
    # Which arm it is.
    model: str
    # What it is to be called.
    name: str


class SetupRequest(_SetupRequest, total=False):
    # Bus of the arm; null: the simulated kit, to practise with.
    bus: Union[str, None]
    # Which build of it; null: the one of its role.
    variant: Union[str, None]
    # leader: a hand holds it; null: it neither leads nor follows.
    role: Union[Literal["leader", "follower"], None]


class _SetupStep(TypedDict):
    # What is to be done at the present step.
    action: Literal["look", "singly", "give", "reassign", "leave_out", "set_registers", "leave_registers", "enter"]


class SetupStep(_SetupStep, total=False):
    # For `enter`: the other arm of its pair; null: none.
    counterpart: Union[str, None]


class _SetupHand(TypedDict):
    # Arm that is practised with.
    arm: str
    # plug: connects one servo, or all; middle, ends: leads every joint there.
    action: Literal["plug", "middle", "ends", "let_go"]


class SetupHand(_SetupHand, total=False):
    # For `plug`: joint of the servo that is to be connected alone, or all.
    what: str


class SetupVerdict(TypedDict):
    # Of a pair of `trials`.
    follower: str
    # right: it has its full speed from the next start on; swapped: leader and follower are each other: their ports
    # are exchanged in the configuration file, for the next start of the bridge, which asks again.
    verdict: Literal["right", "swapped"]


class HandRequest(TypedDict, total=False):
    # Id of a simulated arm.
    robot_id: int
    # Joint angles in radians that the hand leads to, by joint name; null lets go of all.
    joints: Union[Dict[str, float], None]
    # Time the hand takes, in seconds.
    duration: float
    # How stiff the hand is, in Nm/rad, by joint name: a soft one gives way to what the arm pushes with. Joints that
    # are not named: 40.
    stiffness: Dict[str, float]


class Vector(TypedDict):
    x: float
    y: float
    z: float


class Quaternion(TypedDict):
    x: float
    y: float
    z: float
    w: float


class SimulationTruthTool(TypedDict):
    """Tool in the base frame, metres and a unit quaternion."""

    position: "Vector"
    orientation: "Quaternion"


class SimulationTruth(TypedDict):
    robot_id: int
    name: str
    # Joint angles of the physics, in radians.
    joints: Dict[str, float]
    # Tool in the base frame, metres and a unit quaternion.
    tool: "SimulationTruthTool"
    # Of the physics, seconds since the epoch.
    time: float


class Place(TypedDict):
    x: float
    y: float
    z: float


class _ObjectMove(TypedDict):
    # Of the object.
    name: str
    # Where the hand leads it, in the base frame of the arm, metres.
    position: "Place"


class ObjectMove(_ObjectMove, total=False):
    # Id of the simulated arm in front of which the object stands.
    robot_id: int
    # Time after which the hand lets go, in seconds; it moves at 0.5 m/s. 0: at once.
    duration: float


class ObjectReset(TypedDict, total=False):
    # Id of a simulated arm; null: of all of them.
    robot_id: Union[int, None]


class _SimObjectParts(TypedDict):
    kind: Literal["box", "cylinder", "sphere"]
    # Its centre in the frame of the object, metres.
    at: List[float]


class SimObjectParts(_SimObjectParts, total=False):
    # Edges of a box, metres.
    size: List[float]
    # Of a cylinder or sphere, metres.
    radius: float
    # Of a cylinder, which stands along z, metres.
    length: float


class SimObjectTouches(TypedDict):
    by: str
    force: float


class SimObject(TypedDict):
    name: str
    # As #rrggbb.
    colour: str
    # kg; null: it does not move.
    mass: Union[float, None]
    # Primitives that move as one.
    parts: List["SimObjectParts"]
    position: "Vector"
    orientation: "Quaternion"
    # Links of the arm and other objects that press on it, with the sum of their normal forces in newtons. Empty for
    # what lies still.
    touches: List["SimObjectTouches"]


class SimObjects(TypedDict):
    robot_id: int
    name: str
    objects: List["SimObject"]


class ServoStatus(TypedDict):
    joint: str
    # Time since its last reply, in seconds; null before the first.
    reply_age: Union[float, None]
    # Replies that never came.
    lost: int
    # Alarm bits of the servo; 0 = healthy.
    alarms: int
    # Degrees Celsius; null where it is not known.
    temperature: Union[float, None]
    # Volts; null where it is not known.
    voltage: Union[float, None]


class ArmStatusBusRoundTrip(TypedDict):
    # From request to last reply, median of the last seconds, in seconds; 0 before.
    p50: float
    # From request to last reply, 99th percentile of the last seconds, in seconds; 0 before.
    p99: float


class ArmStatusBus(TypedDict):
    """The bus of the arm."""

    # Bytes that belonged to no valid reply.
    discarded: int
    round_trip: "ArmStatusBusRoundTrip"


class ArmStatus(TypedDict):
    id: int
    name: str
    model: str
    state: Literal["disconnected", "connected", "ready", "moving", "mirroring", "floating", "stopped"]
    # Client that has the arm; null if the arm is free.
    owner: Union[str, None]
    # Time since which that client has the arm, seconds since the epoch; null if the arm is free.
    owner_since: Union[float, None]
    # Whether /move/init has set the zero.
    initialised: bool
    # Part of its largest speeds that it may use.
    speed_scale: float
    torque: bool
    # A calibration, or the model of a simulated arm, says where its joints are at zero.
    calibrated: bool
    # Joints that are measured beyond their limits.
    outside_limits: List[str]
    # Why its angles may be wrong, so that motions need `uncalibrated=true`; empty otherwise.
    doubt: str
    # Why it is disconnected or stopped; empty otherwise.
    reason: str
    # Age of the newest bus read, in seconds; null before the first.
    sample_age: Union[float, None]
    # The bus of the arm.
    bus: "ArmStatusBus"
    # The servos of the arm, by joint.
    servos: List["ServoStatus"]


class RobotStatusTemperature(TypedDict):
    current: float
    max: Union[float, None]


class RobotStatus(TypedDict):
    name: str
    robot_type: Literal["manipulator"]
    device_name: Union[str, None]
    # Temperature of each servo, degrees Celsius; null for a simulated arm.
    temperature: Union[List["RobotStatusTemperature"], None]


class BridgeStatusCameras(TypedDict):
    """Outside the scope of the bridge: none."""

    cameras_status: List[Any]
    is_stereo_camera_available: bool
    realsense_available: bool
    video_cameras_ids: List[int]


class BridgeStatusMirror(TypedDict):
    # Why mirroring last stopped.
    reason: str
    pairs: List["PairState"]


class BridgeStatus(TypedDict):
    status: Literal["ok"]
    # Name of this computer.
    name: str
    # Models of the arms.
    robots: List[str]
    robot_status: List["RobotStatus"]
    # Outside the scope of the bridge: none.
    cameras: "BridgeStatusCameras"
    version_id: str
    # Whether some arm is being recorded.
    is_recording: bool
    # How little room is left for recordings, and what to do; empty while there is enough.
    recording_warning: str
    ai_running_status: Literal["stopped"]
    # Whether mirroring runs.
    leader_follower_status: bool
    server_ip: str
    server_port: int
    # Port that hears POST /stop alone, whatever keeps this one busy; null: none.
    stop_port: Union[int, None]
    dialect: Literal["standard", "phosphobot"]
    arms: List["ArmStatus"]
    mirror: "BridgeStatusMirror"
    ros: "RosState"
    loop: "LoopState"


class _TeleopRequest(TypedDict):
    # Of the hand, forward, in centimetres.
    x: float
    # Of the hand, to the left, in centimetres.
    y: float
    # Of the hand, upwards, in centimetres.
    z: float
    # Pitch of the hand in degrees: positive lifts the nose.
    rx: float
    # Yaw of the hand in degrees: positive turns left.
    ry: float
    # Roll of the hand in degrees: positive is clockwise seen from behind.
    rz: float
    # Gripper: 0 closed to 1 open.
    open: float


class TeleopRequest(_TeleopRequest, total=False):
    """Where a hand is, in axes of the base, from wherever the sender counts: its movements lead the tool."""

    # Which hand. Without robot_id the right one leads the first arm and the left one the second.
    source: Literal["left", "right"]
    # When the message was sent, in seconds by any clock: one that is late or out of order is dropped.
    timestamp: Union[float, None]
    # Joystick; no arm has wheels, so it moves nothing.
    direction_x: float
    # Joystick; no arm has wheels, so it moves nothing.
    direction_y: float


class TeleopReport(TypedDict):
    """Told about once a second while messages come."""

    # Messages that were followed since the last report.
    nb_actions_received: int
    # Whether the gripper holds an object; null, because the servos report only position and load.
    is_object_gripped: Union[bool, None]
    # How it is known; null for the same reason.
    is_object_gripped_source: Union[str, None]


class TeleopSettings(TypedDict):
    """Of /move/teleop, for all arms, until the bridge ends."""

    # Centimetres of the tool per centimetre of the hand; 1 at the start. Turns are not scaled.
    vr_scaling: float


class TeleopSettingsChange(TypedDict, total=False):
    """Of /move/teleop; and what the leaders of running pairs feel, until these end. A setting that is left out stays as it is; at least one is needed."""

    # Centimetres of the tool per centimetre of the hand; 1 at the start. Turns are not scaled.
    vr_scaling: float
    force_feedback: "ForceFeedbackChange"
    # Id of the follower whose leader feels; left out: all followers.
    follower_id: int


class UDPServerInformationResponse(TypedDict):
    """The fields of /move/teleop, as JSON, one message a datagram, and `secret`."""

    # Where the datagrams are to go: an address of the bridge.
    host: str
    # The UDP port.
    port: int
    # What each datagram of this client carries as its field `secret`, until the port is closed.
    secret: str


ConfigAnswer = Dict[str, Any]


MonitoringTargets = List["MonitoringTarget"]


LiveFrame = Union["LiveHello", "LiveArms", "LiveObjects", "LivePairs", "LiveLoop", "LiveLog", "LiveEvents", "LiveAsks"]


LiveEvent = Union["LiveFrame", "LiveServerSentEvent"]
