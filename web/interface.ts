// Made of src/http by test/http/generated.test.ts: do not edit.
// biome-ignore-all format: the generator has its own
// biome-ignore-all lint: likewise

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AbsoluteMoveRequest
         * @description Lengths are centimetres and angles degrees, in the absolute frame: axes of the base (x forward, y left, z up), zero at the pose that /move/init reaches.
         */
        readonly AbsoluteMoveRequest: {
            /**
             * @description Forward, in centimetres. Null or left out: keeps its present goal.
             * @default null
             */
            readonly x?: number | null;
            /**
             * @description To the left, in centimetres. Null or left out: keeps its present goal.
             * @default null
             */
            readonly y?: number | null;
            /**
             * @description Upwards, in centimetres. Null or left out: keeps its present goal.
             * @default null
             */
            readonly z?: number | null;
            /**
             * @description Absolute pitch in degrees: positive lifts the nose. Null or left out: inverse kinematics takes the best value for it.
             * @default null
             */
            readonly rx?: number | null;
            /**
             * @description Absolute yaw in degrees: positive turns left. Null or left out: inverse kinematics takes the best value for it.
             * @default null
             */
            readonly ry?: number | null;
            /**
             * @description Absolute roll in degrees: positive is clockwise seen from behind. Null or left out: inverse kinematics takes the best value for it.
             * @default null
             */
            readonly rz?: number | null;
            /**
             * @description Gripper: 0 closed to 1 open. Null or left out: the gripper stays as it is.
             * @default null
             */
            readonly open?: number | null;
            /**
             * @description Most trials to come within tolerance.
             * @default 10
             */
            readonly max_trials?: number;
            /**
             * @description Distance between asked and measured position that is near enough, in centimetres.
             * @default 0.5
             */
            readonly position_tolerance?: number;
            /**
             * @description Smallest rotation to the asked angles that is near enough, in degrees.
             * @default 3
             */
            readonly orientation_tolerance?: number;
            /**
             * @description joint: straight for the joints, the quickest way. line: the tool goes on a straight line.
             * @default joint
             * @enum {string}
             */
            readonly path?: "joint" | "line";
        };
        /**
         * RelativeMoveRequest
         * @description From the present goal, in axes of the base frame. Angles that are left out are kept as far as the arm has the joints for it: an arm of five gives up the yaw. With `open` alone only the gripper acts.
         */
        readonly RelativeMoveRequest: {
            /**
             * @description Forward, in centimetres. Null or left out: no change.
             * @default null
             */
            readonly x?: number | null;
            /**
             * @description To the left, in centimetres. Null or left out: no change.
             * @default null
             */
            readonly y?: number | null;
            /**
             * @description Upwards, in centimetres. Null or left out: no change.
             * @default null
             */
            readonly z?: number | null;
            /**
             * @description Change of the pitch, in degrees. Null or left out: no change.
             * @default null
             */
            readonly rx?: number | null;
            /**
             * @description Change of the yaw, in degrees. Null or left out: no change.
             * @default null
             */
            readonly ry?: number | null;
            /**
             * @description Change of the roll, in degrees. Null or left out: no change.
             * @default null
             */
            readonly rz?: number | null;
            /**
             * @description Gripper: 0 closed to 1 open. Null or left out: the gripper stays as it is.
             * @default null
             */
            readonly open?: number | null;
            /**
             * @description Most trials to come within tolerance.
             * @default 10
             */
            readonly max_trials?: number;
            /**
             * @description Distance between asked and measured position that is near enough, in centimetres.
             * @default 0.5
             */
            readonly position_tolerance?: number;
            /**
             * @description Smallest rotation to the asked angles that is near enough, in degrees.
             * @default 3
             */
            readonly orientation_tolerance?: number;
            /**
             * @description joint: straight for the joints, the quickest way. line: the tool goes on a straight line.
             * @default joint
             * @enum {string}
             */
            readonly path?: "joint" | "line";
        };
        /** StatusResponse */
        readonly StatusResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
        } & {
            readonly [key: string]: unknown;
        };
        /** ValidationError */
        readonly ValidationError: {
            /** @description Place: body or query, then fields and indexes. */
            readonly loc: readonly (string | number)[];
            readonly msg: string;
            readonly type: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** HTTPValidationError */
        readonly HTTPValidationError: {
            /** @description At most 20, then how many more there are. */
            readonly detail: readonly components["schemas"]["ValidationError"][];
            /** @description Of the request, as in its header X-Request-Id and in the log. */
            readonly request_id: string;
        };
        /** HTTPError */
        readonly HTTPError: {
            /** @description What is wrong and what to do next. */
            readonly detail: string;
            /** @description Of the request, as in its header X-Request-Id and in the log. */
            readonly request_id: string;
        };
        /**
         * ProblemDetails
         * @description An error as RFC 9457 has it, for those who accept application/problem+json.
         */
        readonly ProblemDetails: {
            /** @description urn:arm-bridge:problem: and the code. */
            readonly type: string;
            /** @description Of the status. */
            readonly title: string;
            /** @description Of HTTP. */
            readonly status: number;
            /** @description What is wrong and what to do next. */
            readonly detail: string;
            /** @description What is wrong, for programs. */
            readonly code: string;
            /** @description The next step, where another part of the bridge offers one. */
            readonly remedy: ("init" | "reset" | "torque_on" | "take_over" | "stop_mirroring" | "stop_recording" | "list_ports" | "connect" | "calibrate") | null;
            /** @description By which the log of the bridge tells of it. */
            readonly request_id: string;
            /** @description Faults of a request that fails validation. */
            readonly errors?: readonly components["schemas"]["ValidationError"][];
        };
        /** Activity */
        readonly Activity: {
            /** @description trajectory, waypoints, mirror, stream, jog or float. */
            readonly kind: string;
            /** @description Of its present leg, 0 to 1; null for a motion without an end. */
            readonly progress: number | null;
        };
        /** ArmState */
        readonly ArmState: {
            readonly id: number;
            /** @enum {string} */
            readonly state: "disconnected" | "connected" | "ready" | "moving" | "mirroring" | "floating" | "stopped";
            /** @description Who has the arm; null when it is free. */
            readonly owner: string | null;
            /** @description Since when, seconds since the epoch; null when it is free. */
            readonly owner_since: number | null;
            readonly torque: boolean;
            /** @description /move/init has set the zero. */
            readonly initialised: boolean;
            /** @description A calibration, or the model of a simulated arm, says where its joints are at zero. */
            readonly calibrated: boolean;
            /** @description Joints that are measured beyond their limits. */
            readonly outside_limits: readonly string[];
            /** @description Why its angles may be wrong, so that motions need `uncalibrated=true`; empty otherwise. */
            readonly doubt: string;
            /** @description Why it is disconnected or stopped; empty otherwise. */
            readonly reason: string;
            /** @description Time of the bus read, seconds since the epoch; 0 before the first. */
            readonly sampled: number;
            readonly joints: {
                /** @description rad */
                readonly position: readonly (number | null)[];
                /** @description Where the joints are asked to be, rad; null without torque. */
                readonly goal: readonly (number | null)[];
                /** @description rad/s */
                readonly velocity: readonly (number | null)[];
                /** @description Nm, estimated by the servo. */
                readonly effort: readonly (number | null)[];
                /** @description Degrees Celsius. */
                readonly temperature: readonly (number | null)[];
                /** @description V */
                readonly voltage: readonly (number | null)[];
                /** @description Alarm bits of the servo; 0 = healthy. */
                readonly alarm: readonly number[];
            };
            /** @description In the base frame; orientation as a quaternion x y z w. */
            readonly tool: {
                /** @description x y z, m */
                readonly position: [
                    number,
                    number,
                    number
                ];
                readonly orientation: [
                    number,
                    number,
                    number,
                    number
                ];
            } | null;
            /** @description Of the gripper, 0 closed to 1 open. */
            readonly opening: number | null;
            /** @description What drives it; null: nothing. */
            readonly motion: components["schemas"]["Activity"] | null;
        };
        /** JointFacts */
        readonly JointFacts: {
            readonly name: string;
            readonly role: string;
            readonly lower: number;
            readonly upper: number;
            /** @description Largest speed of moves, rad/s. */
            readonly velocity: number;
            /** @description Largest torque that its servo gives, Nm. */
            readonly torque_limit: number;
            /** @constant */
            readonly unit: "rad";
            readonly servos: readonly {
                readonly id: number;
                readonly model: string;
            }[];
        };
        /** ArmFacts */
        readonly ArmFacts: {
            readonly id: number;
            readonly name: string;
            /** @description Folder below robots/. */
            readonly model: string;
            readonly title: string;
            readonly bus: string;
            readonly simulated: boolean;
            /** @description Another machine owns its bus. */
            readonly remote: boolean;
            readonly base_link: string;
            readonly tool_link: string;
            /** @description Pose of its base in the world: m and rad. */
            readonly mount: {
                readonly xyz: [
                    number,
                    number,
                    number
                ];
                readonly rpy: [
                    number,
                    number,
                    number
                ];
            };
            readonly joints: readonly components["schemas"]["JointFacts"][];
            /** @description Index of its joint and its angles when closed and open. */
            readonly gripper: {
                readonly index: number;
                readonly closed: number;
                readonly open: number;
            } | null;
            /** @description Named poses, rad. */
            readonly poses: {
                readonly [key: string]: readonly number[];
            };
            /** @description What the alarm bits of its servos mean, by the bit. */
            readonly alarms: {
                readonly [key: string]: string;
            };
        };
        /** PairState */
        readonly PairState: {
            readonly leader: string;
            readonly follower: string;
            /** @enum {string} */
            readonly state: "idle" | "starting" | "ramping" | "mirroring" | "holding";
            /** @description Who has started it. */
            readonly owner: string;
            /** @description Since when, seconds since the epoch. */
            readonly owner_since: number;
            /** @description Goals written per second. */
            readonly rate: number;
            /** @description From sample to goal, in seconds; null before the first. */
            readonly latency: number | null;
            /** @description Of the last stop or hold, or why the follower stays behind. */
            readonly reason: string;
        };
        /** PairList */
        readonly PairList: {
            /** @description Mirroring runs. */
            readonly active: boolean;
            /** @description Of the last stop. */
            readonly reason: string;
            readonly pairs: readonly components["schemas"]["PairState"][];
        };
        /** Percentiles */
        readonly Percentiles: {
            readonly p50: number;
            readonly p99: number;
            readonly longest: number;
        };
        /** CycleTiming */
        readonly CycleTiming: {
            /** @description Of the last 10 s, in seconds. */
            readonly recent: components["schemas"]["Percentiles"];
            /** @description Since the start, in seconds. */
            readonly total: components["schemas"]["Percentiles"];
        };
        /**
         * LoopState
         * @description The control loop.
         */
        readonly LoopState: {
            readonly cycles: number;
            /** @description Configured, Hz. */
            readonly rate: number;
            /** @description Cycles that began later than half a period. */
            readonly late: number;
            /** @description What keeps this computer from keeping up; empty when it does. */
            readonly trouble: string;
            /** @description Mean of the last second, s. */
            readonly period: number;
            /** @description Of the last second, s. */
            readonly longest_period: number;
            /** @description Real-time priority of the control thread; null without one. */
            readonly priority: number | null;
            /** @description From the beginning of a cycle to that of the next. */
            readonly periods: components["schemas"]["CycleTiming"];
            /** @description Time by which a cycle began too late. */
            readonly lateness: components["schemas"]["CycleTiming"];
            /** @description From the beginning of a read until goals made of it had been written. */
            readonly latency: components["schemas"]["CycleTiming"];
            /** @description Cycles of the last 10 s by their period. */
            readonly period_histogram: {
                /** @description Of a bin, in seconds; the first begins at 0. */
                readonly width: number;
                /** @description Cycles of each bin; the last has all longer periods too. */
                readonly counts: readonly number[];
            };
        };
        /** RosState */
        readonly RosState: {
            readonly enabled: boolean;
            /** @description Why ROS is off; empty otherwise. */
            readonly reason: string;
            readonly distro: string | null;
            /** @description While ROS is off for now: what is being done so that it can be on. */
            readonly preparing: {
                readonly step: string;
                /** @description About how long until ROS is on, s. */
                readonly left: number;
            } | null;
        };
        /** LogLine */
        readonly LogLine: {
            /** @description Seconds since the epoch. */
            readonly time: number;
            /** @description trace, debug, info, warn, error or fatal. */
            readonly level: string;
            readonly message: string;
        };
        /** JournalEvent */
        readonly JournalEvent: {
            /** @description Rises with each entry. */
            readonly id: number;
            /** @description When it began, seconds since the epoch. */
            readonly time: number;
            /**
             * @description What was done.
             * @enum {string}
             */
            readonly act: "motion" | "torque" | "halt" | "stop" | "reset" | "take_over" | "release" | "mirroring" | "calibration" | "configuration" | "recording" | "simulation";
            /** @description To which arm; null: to several, or none. */
            readonly arm: string | null;
            /** @description Who has asked for it. */
            readonly who: string;
            /** @description From where: an address, this computer, ROS 2, or the bridge itself. */
            readonly origin: string;
            /** @description Method and path of the request, or the ROS 2 service, action or topic. */
            readonly what: string;
            /** @description Of the HTTP request, as in X-Request-Id; null: it was none. */
            readonly request_id: string | null;
            /** @description Who had the arm, and lost it by this; null: nobody. */
            readonly taken_from: string | null;
            /**
             * @description `ended`: somebody or something else has ended it.
             * @enum {string}
             */
            readonly outcome: "under_way" | "done" | "failed" | "refused" | "ended";
            /** @description Why it failed, was refused or ended. */
            readonly message: string | null;
            /** @description When it was over, seconds since the epoch; null while it is under way. */
            readonly ended: number | null;
            /** @description How often, for what comes as a stream. */
            readonly count: number;
        };
        /** ArmOverview */
        readonly ArmOverview: {
            readonly id: number;
            readonly name: string;
            /** @description Folder below robots/. */
            readonly model: string;
            readonly title: string;
            readonly bus: string;
            readonly simulated: boolean;
            /** @description Another machine owns its bus. */
            readonly remote: boolean;
            readonly base_link: string;
            readonly tool_link: string;
            /** @description Pose of its base in the world: m and rad. */
            readonly mount: {
                readonly xyz: [
                    number,
                    number,
                    number
                ];
                readonly rpy: [
                    number,
                    number,
                    number
                ];
            };
            readonly joints: readonly components["schemas"]["JointFacts"][];
            /** @description Index of its joint and its angles when closed and open. */
            readonly gripper: {
                readonly index: number;
                readonly closed: number;
                readonly open: number;
            } | null;
            /** @description Named poses, rad. */
            readonly poses: {
                readonly [key: string]: readonly number[];
            };
            /** @description What the alarm bits of its servos mean, by the bit. */
            readonly alarms: {
                readonly [key: string]: string;
            };
            readonly now: components["schemas"]["ArmState"];
        };
        /** ArmList */
        readonly ArmList: {
            readonly arms: readonly components["schemas"]["ArmOverview"][];
        };
        /** MotionState */
        readonly MotionState: {
            /** @enum {string} */
            readonly state: "disconnected" | "connected" | "ready" | "moving" | "mirroring" | "floating" | "stopped";
            /** @description Who has the arm; null when it is free. */
            readonly owner: string | null;
            /** @description Since when, seconds since the epoch; null when it is free. */
            readonly owner_since: number | null;
            /** @description What drives the arm; null: nothing. */
            readonly motion: components["schemas"]["Activity"] | null;
        };
        /** ReachableAnswer */
        readonly ReachableAnswer: {
            /** @description The move would be accepted and could meet its tolerances. */
            readonly reachable: boolean;
            /** @description Why not. */
            readonly message: string | null;
            /** @description Where the joints would go, rad; null where they cannot. */
            readonly joints: readonly number[] | null;
        };
        /** LogAnswer */
        readonly LogAnswer: {
            /** @description Number of the line that comes next: ask for the lines after it with `from`. */
            readonly next: number;
            readonly lines: readonly components["schemas"]["LogLine"][];
        };
        /**
         * ConfigAnswer
         * @description The configuration in use, with its defaults; names of secret files are left out.
         */
        readonly ConfigAnswer: {
            readonly [key: string]: unknown;
        };
        /** CalibrateResponse */
        readonly CalibrateResponse: {
            /** @enum {string} */
            readonly calibration_status: "error" | "success" | "in_progress";
            /** @description What has been done, and what to do before the next call. */
            readonly message: string;
            /** @description 1 to total_nb_steps; 0 before the first. */
            readonly current_step: number;
            readonly total_nb_steps: number;
        };
        /** SweptJoint */
        readonly SweptJoint: {
            readonly name: string;
            /** @description From the middle pose, rad; null before the first sample. */
            readonly position: number | null;
            /** @description Least position so far, rad. */
            readonly least: number | null;
            /** @description Largest position so far, rad. */
            readonly most: number | null;
            /** @description Range that the data of the arm give, rad. */
            readonly range: number;
            /** @description It has been led to both of its ends, or need not be. */
            readonly done: boolean;
        };
        /** CalibrationState */
        readonly CalibrationState: {
            /** @enum {string} */
            readonly calibration_status: "error" | "success" | "in_progress";
            /** @description What has been done, and what to do before the next call. */
            readonly message: string;
            /** @description 1 to total_nb_steps; 0 before the first. */
            readonly current_step: number;
            readonly total_nb_steps: number;
            readonly joints: readonly components["schemas"]["SweptJoint"][];
        };
        /**
         * ConnectionDetails
         * @description Empty for an arm that the bridge knows by its name; otherwise one of the first three.
         */
        readonly ConnectionDetails: {
            /**
             * @description Device file, or the link to it, as /local/scan-devices shows them.
             * @default null
             */
            readonly device_name?: string | null;
            /**
             * @description Serial number of its USB adapter, as /local/scan-devices shows it.
             * @default null
             */
            readonly serial_number?: string | null;
            /**
             * @description Its bus as in the configuration: serial:..., sim:<model>, or a network bus that is named there.
             * @default null
             */
            readonly bus?: string | null;
            /**
             * @description Build of the model, for one that is to be added; follower when left out.
             * @default null
             */
            readonly variant?: string | null;
        };
        /** RobotConnectionRequest */
        readonly RobotConnectionRequest: {
            /** @description Name of an arm of this bridge, or the model of one that is to be added: a folder of robots/, or so-100, so-101, koch-v1.1 or wx-250s. */
            readonly robot_name: string;
            readonly connection_details: components["schemas"]["ConnectionDetails"];
        };
        /** RobotConnectionResponse */
        readonly RobotConnectionResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Id of the arm, by which all other requests name it. */
            readonly robot_id: number;
        };
        /** LocalDevice */
        readonly LocalDevice: {
            /** @description What the device calls itself, or what it is taken for. */
            readonly name: string;
            /** @description Device file. */
            readonly device: string;
            /** @description USB serial number. */
            readonly serial_number: string | null;
            /** @description USB product id. */
            readonly pid: number | null;
            /** @description Link that stays the same over replugging. */
            readonly interface: string | null;
        };
        /** ScanDevicesResponse */
        readonly ScanDevicesResponse: {
            readonly devices: readonly components["schemas"]["LocalDevice"][];
        };
        /** Recording */
        readonly Recording: {
            readonly name: string;
            /** @description Folder of episodes that it belongs to. */
            readonly dataset: string | null;
            /**
             * @description joints: joint states alone; episode: all that its arms did.
             * @enum {string}
             */
            readonly content: "joints" | "episode";
            /** @description Of its file. */
            readonly bytes: number;
            /** @description Time of its first message, seconds since the epoch. */
            readonly began: number;
            /** @description In seconds. */
            readonly duration: number;
            readonly messages: number;
            /** @description Arms whose joints it has. */
            readonly arms: readonly string[];
            readonly task: string;
            readonly operator: string;
            /** @enum {string} */
            readonly verdict: "" | "good" | "bad";
            /** @description Why it cannot be read; empty when it can. */
            readonly problem: string;
        };
        /** RecordedTopic */
        readonly RecordedTopic: {
            readonly name: string;
            readonly type: string;
            readonly messages: number;
        };
        /** RecordingFacts */
        readonly RecordingFacts: {
            readonly name: string;
            /** @description Folder of episodes that it belongs to. */
            readonly dataset: string | null;
            /**
             * @description joints: joint states alone; episode: all that its arms did.
             * @enum {string}
             */
            readonly content: "joints" | "episode";
            /** @description Of its file. */
            readonly bytes: number;
            /** @description Time of its first message, seconds since the epoch. */
            readonly began: number;
            /** @description In seconds. */
            readonly duration: number;
            readonly messages: number;
            /** @description Arms whose joints it has. */
            readonly arms: readonly string[];
            readonly task: string;
            readonly operator: string;
            /** @enum {string} */
            readonly verdict: "" | "good" | "bad";
            /** @description Why it cannot be read; empty when it can. */
            readonly problem: string;
            /** @description Of its file on the computer of the bridge. */
            readonly path: string;
            readonly topics: readonly components["schemas"]["RecordedTopic"][];
        };
        /** RecordingList */
        readonly RecordingList: {
            /** @description The newest first. */
            readonly recordings: readonly components["schemas"]["Recording"][];
            /** @description How many there are, those that are not in this answer too. */
            readonly total: number;
            readonly folder: string;
            /** @description Bytes of all of them. */
            readonly used: number;
            /** @description Bytes that they may take together (recording.quota). */
            readonly quota: number;
            /** @description Bytes that are left on the disk. */
            readonly free: number;
            /** @description What people should know before room runs out; empty while there is enough. */
            readonly warning: string;
        };
        /** RecordingChangeRequest */
        readonly RecordingChangeRequest: {
            /** @description Its new name. */
            readonly name?: string;
            /** @description What it shows, as a training set names it. */
            readonly task?: string;
            /** @description Who leads the arms. */
            readonly operator?: string;
            /**
             * @description Whether it is to be used; empty: nobody has said so yet.
             * @enum {string}
             */
            readonly verdict?: "" | "good" | "bad";
        };
        /** RecordingResponse */
        readonly RecordingResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            readonly recording: components["schemas"]["RecordingFacts"];
        };
        /** EpisodeStartRequest */
        readonly EpisodeStartRequest: {
            /**
             * @description Letters, digits, _ and -, at most 64. Null or left out: the dataset and the present time.
             * @default null
             */
            readonly name?: string | null;
            /**
             * @description Folder of episodes that it is to belong to; null: none.
             * @default null
             */
            readonly dataset?: string | null;
            /** @description Names of the arms that take part; left out: all that are connected. */
            readonly arms?: readonly string[];
            /** @description What it shows, as a training set names it. */
            readonly task?: string;
            /** @description Who leads the arms. */
            readonly operator?: string;
        };
        /** EpisodeStopRequest */
        readonly EpisodeStopRequest: {
            /**
             * @description False: it is not kept.
             * @default true
             */
            readonly keep?: boolean;
            /** @description What it shows, as a training set names it. */
            readonly task?: string;
            /** @description Who leads the arms. */
            readonly operator?: string;
            /**
             * @description Whether it is to be used; empty: nobody has said so yet.
             * @enum {string}
             */
            readonly verdict?: "" | "good" | "bad";
        };
        /** EpisodeMarkRequest */
        readonly EpisodeMarkRequest: {
            /**
             * @description What has just happened.
             * @default
             */
            readonly text?: string;
        };
        /** RunningEpisode */
        readonly RunningEpisode: {
            readonly name: string;
            readonly dataset: string | null;
            /** @description Of its file on the computer of the bridge, once it is complete. */
            readonly path: string;
            readonly arms: readonly string[];
            readonly task: string;
            readonly operator: string;
            /** @description Seconds since the epoch. */
            readonly began: number;
            /** @description So far, in seconds. */
            readonly duration: number;
        };
        /** EpisodeResponse */
        readonly EpisodeResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Null: none is being recorded. */
            readonly episode: components["schemas"]["RunningEpisode"] | null;
        };
        /** EpisodeStopResponse */
        readonly EpisodeStopResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            readonly name?: string;
            /** @description Of its file on the computer of the bridge; empty where it is not kept. */
            readonly path?: string;
            /** @description Joint states of all its arms. */
            readonly samples?: number;
            /** @description Cycles of the control loop that could not be recorded. */
            readonly lost?: number;
            /** @description In seconds. */
            readonly duration?: number;
        };
        /** EventList */
        readonly EventList: {
            /** @description The newest first. */
            readonly events: readonly components["schemas"]["JournalEvent"][];
        };
        /** JointsReadRequest */
        readonly JointsReadRequest: {
            /**
             * @description Of the angles; motor_units are servo steps.
             * @default rad
             * @enum {string}
             */
            readonly unit?: "rad" | "motor_units" | "degrees";
            /**
             * @description Joints by their place in the arm, from 0. Null, left out or empty: all in their order.
             * @default null
             */
            readonly joints_ids?: readonly number[] | null;
            /**
             * @description robot: as the encoders measure; sim: where the joints are asked to be.
             * @default robot
             * @enum {string}
             */
            readonly source?: "sim" | "robot";
        };
        /** JointsReadResponse */
        readonly JointsReadResponse: {
            /** @description Null for a joint that has not been measured yet. */
            readonly angles: readonly (number | null)[];
            /** @enum {string} */
            readonly unit: "rad" | "motor_units" | "degrees";
        };
        /** JointsWriteRequest */
        readonly JointsWriteRequest: {
            /** @description One for each of joints_ids, or for the first joints of the arm; the others keep their goals. */
            readonly angles: readonly number[];
            /**
             * @description Of the angles; motor_units are servo steps.
             * @default rad
             * @enum {string}
             */
            readonly unit?: "rad" | "motor_units" | "degrees";
            /**
             * @description Joints by their place in the arm, from 0. Null, left out or empty: all in their order.
             * @default null
             */
            readonly joints_ids?: readonly number[] | null;
        };
        /** TorqueReadResponse */
        readonly TorqueReadResponse: {
            /** @description Of each joint, Nm, estimated from its servo’s load. */
            readonly current_torque: readonly number[];
        };
        /** TorqueControlRequest */
        readonly TorqueControlRequest: {
            /** @description true: hold where it is. false: lower to the rest pose, then go limp. */
            readonly torque_status: boolean;
            /**
             * @description With torque_status false: go limp at once, wherever the arm is. It drops.
             * @default false
             */
            readonly force?: boolean;
        };
        /**
         * LiveHello
         * @description First, and again when an arm is added.
         */
        readonly LiveHello: {
            /** @constant */
            readonly type: "hello";
            /** @description Of the bridge. */
            readonly version: string;
            /** @description What this client may do. */
            readonly scopes: readonly ("read" | "control")[];
            /** @description Who this client is to others. */
            readonly client: string;
            readonly arms: readonly components["schemas"]["ArmFacts"][];
        };
        /** LiveArms */
        readonly LiveArms: {
            /** @constant */
            readonly type: "arms";
            /** @description Time of the frame, seconds since the epoch. */
            readonly t: number;
            readonly arms: readonly components["schemas"]["ArmState"][];
        };
        /** LivePairs */
        readonly LivePairs: {
            /** @constant */
            readonly type: "pairs";
            /** @description Time of the frame, seconds since the epoch. */
            readonly t: number;
            /** @description Mirroring runs. */
            readonly active: boolean;
            /** @description Of the last stop. */
            readonly reason: string;
            readonly pairs: readonly components["schemas"]["PairState"][];
        };
        /** LiveLoop */
        readonly LiveLoop: {
            /** @constant */
            readonly type: "loop";
            /** @description Time of the frame, seconds since the epoch. */
            readonly t: number;
            readonly cycles: number;
            /** @description Configured, Hz. */
            readonly rate: number;
            /** @description Cycles that began later than half a period. */
            readonly late: number;
            /** @description What keeps this computer from keeping up; empty when it does. */
            readonly trouble: string;
            /** @description Mean of the last second, s. */
            readonly period: number;
            /** @description Of the last second, s. */
            readonly longest_period: number;
            /** @description Real-time priority of the control thread; null without one. */
            readonly priority: number | null;
            /** @description From the beginning of a cycle to that of the next. */
            readonly periods: components["schemas"]["CycleTiming"];
            /** @description Time by which a cycle began too late. */
            readonly lateness: components["schemas"]["CycleTiming"];
            /** @description From the beginning of a read until goals made of it had been written. */
            readonly latency: components["schemas"]["CycleTiming"];
            /** @description Cycles of the last 10 s by their period. */
            readonly period_histogram: {
                /** @description Of a bin, in seconds; the first begins at 0. */
                readonly width: number;
                /** @description Cycles of each bin; the last has all longer periods too. */
                readonly counts: readonly number[];
            };
            readonly ros: components["schemas"]["RosState"];
        };
        /** LiveLog */
        readonly LiveLog: {
            /** @constant */
            readonly type: "log";
            /** @description Time of the frame, seconds since the epoch. */
            readonly t: number;
            /** @description Since the last frame; the first has the newest hundred. */
            readonly lines: readonly components["schemas"]["LogLine"][];
        };
        /** LiveEvents */
        readonly LiveEvents: {
            /** @constant */
            readonly type: "events";
            /** @description Time of the frame, seconds since the epoch. */
            readonly t: number;
            /** @description New or changed since the last frame, the newest first; the first frame has the newest hundred. */
            readonly events: readonly components["schemas"]["JournalEvent"][];
        };
        /** LiveFrame */
        readonly LiveFrame: components["schemas"]["LiveHello"] | components["schemas"]["LiveArms"] | components["schemas"]["LivePairs"] | components["schemas"]["LiveLoop"] | components["schemas"]["LiveLog"] | components["schemas"]["LiveEvents"];
        /** LiveServerSentEvent */
        readonly LiveServerSentEvent: {
            /**
             * @description Type of the frame.
             * @enum {string}
             */
            readonly event: "hello" | "arms" | "pairs" | "loop" | "log" | "events";
            /** @description The frame as JSON. */
            readonly data: string;
        };
        /**
         * LiveEvent
         * @description The frame that an event carries, as clients are given it, or the event itself.
         */
        readonly LiveEvent: components["schemas"]["LiveFrame"] | components["schemas"]["LiveServerSentEvent"];
        /** LiveRefusal */
        readonly LiveRefusal: {
            /** @constant */
            readonly type: "refused";
            /** @description Type of the message that is not carried out, or unknown. */
            readonly request: string;
            readonly reason: string;
            /** @description That was to be jogged. */
            readonly arm?: number;
        };
        /**
         * LiveStopped
         * @description What has become of a stop.
         */
        readonly LiveStopped: {
            /** @constant */
            readonly type: "stop";
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
        };
        /** LiveSubscribe */
        readonly LiveSubscribe: {
            /** @constant */
            readonly type: "subscribe";
            /** @description Left out: all. */
            readonly topics?: [
            ] | [
                "arms" | "pairs" | "loop" | "log" | "events"
            ] | [
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events"
            ] | [
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events"
            ] | [
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events"
            ] | [
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events",
                "arms" | "pairs" | "loop" | "log" | "events"
            ];
            /** @description Frames of arms per second, 20 when left out; the others come at most 5 times a second. */
            readonly rate?: number;
        };
        /** LiveTwist */
        readonly LiveTwist: {
            /** @description x y z, m/s */
            readonly linear: [
                number,
                number,
                number
            ];
            /** @description About x y z, rad/s */
            readonly angular: [
                number,
                number,
                number
            ];
            /**
             * @description Whose axes these are.
             * @default base
             * @enum {string}
             */
            readonly frame?: "base" | "tool";
        };
        /**
         * LiveJog
         * @description The arm moves at these speeds for 0.2 s: send it again at least 10 times a second.
         */
        readonly LiveJog: {
            /** @constant */
            readonly type: "jog";
            /** @description Id of the arm. */
            readonly arm: number;
            /** @description Speeds by joint name, rad/s; those that are left out do not move. */
            readonly joints?: {
                readonly [key: string]: number;
            };
            /** @description Speed of the tool, in place of joints. */
            readonly twist?: components["schemas"]["LiveTwist"];
            /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
            readonly uncalibrated?: boolean;
        };
        /**
         * LiveStop
         * @description All arms stop, latched, as by POST /stop.
         */
        readonly LiveStop: {
            /** @constant */
            readonly type: "stop";
        };
        /** SessionRequest */
        readonly SessionRequest: {
            /** @description As in http.token_file. */
            readonly token?: string;
        };
        /** SessionAnswer */
        readonly SessionAnswer: {
            /** @description What the page may do from now on. */
            readonly scopes: readonly ("read" | "control")[];
        };
        /** StopResponse */
        readonly StopResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Ids of the arms for which it is done. */
            readonly robots: readonly number[];
        };
        /** RobotPairRequest */
        readonly RobotPairRequest: {
            /** @description Id of the leader arm, as in the configuration. */
            readonly leader_id: number | null;
            /** @description Id of the follower arm, as in the configuration. */
            readonly follower_id: number | null;
        };
        /**
         * GravityCompensationValues
         * @description Share of the weight that is held, in percent.
         */
        readonly GravityCompensationValues: {
            /** @default 100 */
            readonly shoulder?: number;
            /** @default 50 */
            readonly elbow?: number;
            /** @default 10 */
            readonly wrist?: number;
        };
        /** StartLeaderArmControlRequest */
        readonly StartLeaderArmControlRequest: {
            /** @description Leaders and their followers. */
            readonly robot_pairs: readonly components["schemas"]["RobotPairRequest"][];
            /**
             * @description Hold the weight of the leader arms; false: they are limp.
             * @default false
             */
            readonly enable_gravity_compensation?: boolean;
            /**
             * @description Share of the weight that is held, in percent. Null or left out: the default of each.
             * @default null
             */
            readonly gravity_compensation_values?: components["schemas"]["GravityCompensationValues"] | null;
            /**
             * @description Mirror left and right for the follower arms.
             * @default false
             */
            readonly invert_controls?: boolean;
            /**
             * @description A follower away from its leader: it approaches slowly, or nothing is started. Default: as configured, else ramp.
             * @enum {string}
             */
            readonly on_mismatch?: "ramp" | "refuse";
            /** @description Difference of a joint from which refuse refuses, in degrees. Default: as configured, else 11.5. */
            readonly mismatch_threshold?: number;
            /**
             * @description Who goes to whom first; a leader goes by itself, by a checked way. Default: as configured, else follower.
             * @enum {string}
             */
            readonly align?: "follower" | "leader";
        };
        /** GravityStartRequest */
        readonly GravityStartRequest: {
            /**
             * @description Share of the weight that is held, in percent. Null or left out: the default of each.
             * @default null
             */
            readonly gravity_compensation_values?: components["schemas"]["GravityCompensationValues"] | null;
        };
        /**
         * MotionTarget
         * @description In the absolute frame, zero at the pose init; for relative the change from the present goal.
         */
        readonly MotionTarget: {
            /** @description Forward, m. */
            readonly x?: number;
            /** @description To the left, m. */
            readonly y?: number;
            /** @description Upwards, m. */
            readonly z?: number;
            /** @description rad; positive lifts the nose. */
            readonly pitch?: number;
            /** @description rad; positive turns left. */
            readonly yaw?: number;
            /** @description rad; positive is clockwise seen from behind. */
            readonly roll?: number;
            /** @description Gripper: 0 closed to 1 open. */
            readonly open?: number;
            /**
             * @description joint: the quickest way. line: the tool goes straight.
             * @default joint
             * @enum {string}
             */
            readonly path?: "joint" | "line";
            /**
             * @description Most trials to come within tolerance.
             * @default 10
             */
            readonly max_trials?: number;
            /**
             * @description m
             * @default 0.005
             */
            readonly position_tolerance?: number;
            /**
             * @description rad
             * @default 0.0524
             */
            readonly orientation_tolerance?: number;
        };
        /** MotionReplay */
        readonly MotionReplay: {
            /** @description Of the recording. */
            readonly name: string;
            /**
             * @description 1: as recorded.
             * @default 1
             */
            readonly speed?: number;
        };
        /**
         * MotionRequest
         * @description One of these.
         */
        readonly MotionRequest: {
            /** @description To a pose of the tool, as /move/absolute. */
            readonly pose?: components["schemas"]["MotionTarget"];
            /** @description By so much, as /move/relative. */
            readonly relative?: components["schemas"]["MotionTarget"];
            /** @description Joint angles by name, rad; others keep theirs. */
            readonly joints?: {
                readonly [key: string]: number;
            };
            /** @description To a pose of the arm: init, rest, ... */
            readonly named?: string;
            /** @description The gripper alone: 0 closed to 1 open. */
            readonly gripper?: number;
            /** @description As /recording/play. */
            readonly replay?: components["schemas"]["MotionReplay"];
        };
        /** MotionFacts */
        readonly MotionFacts: {
            readonly id: string;
            readonly arm: string;
            /** @description What was asked: pose, relative, joints, named, gripper or replay; of older routes their path. */
            readonly kind: string;
            /** @enum {string} */
            readonly state: "moving" | "done" | "failed" | "cancelled";
            /** @description Part of its present leg, 0 .. 1; null where that is not known. */
            readonly progress: number | null;
            /** @description Who has asked for it. */
            readonly who: string;
            readonly request_id: string | null;
            /** @description Seconds since the epoch. */
            readonly began: number;
            /** @description Seconds since the epoch; null while it is under way. */
            readonly ended: number | null;
            /** @description Why it was not completed. */
            readonly message: string | null;
        };
        /** MotionList */
        readonly MotionList: {
            /** @description The newest first. */
            readonly motions: readonly components["schemas"]["MotionFacts"][];
        };
        /**
         * MoveResponse
         * @description How a motion has ended. The errors are those by the encoders; they are left out where nothing moved.
         */
        readonly MoveResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Distance between asked and measured position, in centimetres; null where nothing was asked of it. */
            readonly position_error?: number | null;
            /** @description Smallest rotation to the asked angles, in degrees; null where nothing was asked of it. */
            readonly orientation_error?: number | null;
            /** @description Trials made. */
            readonly trials?: number;
            /** @description From acceptance to the end of the motion, in seconds. */
            readonly duration?: number;
        };
        /** ArmMoveResponse */
        readonly ArmMoveResponse: {
            readonly robot_id: number;
            /** @description Of the arm. */
            readonly name: string;
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Distance between asked and measured position, in centimetres; null where nothing was asked of it. */
            readonly position_error?: number | null;
            /** @description Smallest rotation to the asked angles, in degrees; null where nothing was asked of it. */
            readonly orientation_error?: number | null;
            /** @description Trials made. */
            readonly trials?: number;
            /** @description From acceptance to the end of the motion, in seconds. */
            readonly duration?: number;
        };
        /**
         * MoveAllResponse
         * @description How motions of several arms have ended: the worst figures, and every complaint.
         */
        readonly MoveAllResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Distance between asked and measured position, in centimetres; null where nothing was asked of it. */
            readonly position_error?: number | null;
            /** @description Smallest rotation to the asked angles, in degrees; null where nothing was asked of it. */
            readonly orientation_error?: number | null;
            /** @description Trials made. */
            readonly trials?: number;
            /** @description From acceptance to the end of the motion, in seconds. */
            readonly duration?: number;
            /** @description Each arm by itself, where several moved. */
            readonly robots?: readonly components["schemas"]["ArmMoveResponse"][];
        };
        /** EndEffectorReadRequest */
        readonly EndEffectorReadRequest: {
            /**
             * @description The gripper alone: the six others are null. Works before /move/init.
             * @default false
             */
            readonly only_gripper?: boolean;
            /**
             * @description Answer from a read of the motors that began after the request, at most 200 ms.
             * @default false
             */
            readonly sync?: boolean;
        };
        /** EndEffectorPosition */
        readonly EndEffectorPosition: {
            /** @description Centimetres; null with only_gripper. */
            readonly x: number | null;
            /** @description Centimetres; null with only_gripper. */
            readonly y: number | null;
            /** @description Centimetres; null with only_gripper. */
            readonly z: number | null;
            /** @description Absolute pitch in degrees; null with only_gripper. */
            readonly rx: number | null;
            /** @description Absolute yaw in degrees; null with only_gripper. */
            readonly ry: number | null;
            /** @description Absolute roll in degrees; null with only_gripper. */
            readonly rz: number | null;
            /** @description Measured opening, 0 closed to 1 open; null for an arm without a gripper. */
            readonly open: number | null;
        };
        /** RecordingStartRequest */
        readonly RecordingStartRequest: {
            /** @default null */
            readonly name?: string | null;
            /**
             * @description Samples per second.
             * @default 50
             */
            readonly rate?: number;
        };
        /** RecordingStartResponse */
        readonly RecordingStartResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Of the recording. */
            readonly name: string;
            /** @description Of its file on the computer of the bridge. */
            readonly path: string;
        };
        /** RecordingStopRequest */
        readonly RecordingStopRequest: {
            /**
             * @description False: it is not kept.
             * @default true
             */
            readonly save?: boolean;
        };
        /** RecordingStopResponse */
        readonly RecordingStopResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description Of the recording; left out where there was none. */
            readonly name?: string;
            /** @description Of its file on the computer of the bridge; empty where it is not kept. */
            readonly path?: string;
            readonly samples?: number;
            /** @description In seconds. */
            readonly duration?: number;
        };
        /** RecordingPlayRequest */
        readonly RecordingPlayRequest: {
            /** @description Of the recording. */
            readonly name: string;
            /**
             * @description 1 as recorded. Where the limits of the arm ask for it, it is slower.
             * @default 1
             */
            readonly speed?: number;
        };
        /** RecordingPlayResponse */
        readonly RecordingPlayResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            readonly status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            readonly message?: string | null;
            /** @description With the way to its first pose, in seconds. */
            readonly duration: number;
        };
        /** VoltageReadResponse */
        readonly VoltageReadResponse: {
            /** @description Of each servo, V; null where it is not known. */
            readonly current_voltage: readonly number[] | null;
        };
        /** ServoTemperature */
        readonly ServoTemperature: {
            /** @description Degrees Celsius. */
            readonly current: number;
            /** @description Where the servo switches itself off. */
            readonly max: number;
        };
        /** TemperatureReadResponse */
        readonly TemperatureReadResponse: {
            /** @description Of each servo; null where they are not known. */
            readonly current_max_Temperature: readonly components["schemas"]["ServoTemperature"][] | null;
        };
        /** TemperatureWriteRequest */
        readonly TemperatureWriteRequest: {
            /** @description Where each servo is to switch itself off, degrees Celsius; never above its maker’s maximum. */
            readonly maximum_temperature: readonly number[];
        };
        /** ServoGains */
        readonly ServoGains: {
            /** @description In counts of the servo’s register. */
            readonly p_gain: number;
            /** @description In counts of the servo’s register. */
            readonly i_gain: number;
            /** @description In counts of the servo’s register. */
            readonly d_gain: number;
        };
        /** ServoConfig */
        readonly ServoConfig: {
            /** @description Model of the arm. */
            readonly name: string;
            /** @description Mean of the voltages that the servos measure, V. */
            readonly servos_voltage: number;
            /** @description Servo steps at joint angle 0. */
            readonly servos_offsets: readonly number[];
            /** @description Servo steps a quarter of a turn from that; of the gripper: where it is open. */
            readonly servos_calibration_position: readonly number[];
            /** @description 1 or -1: sense in which steps count. */
            readonly servos_offsets_signs: readonly number[];
            /** @description Read from the servos. */
            readonly pid_gains: readonly components["schemas"]["ServoGains"][];
            /** @description Load at which the gripper counts as pressing, per mille of its output. */
            readonly gripping_threshold: number;
            /** @description Load with which it then goes on holding. */
            readonly non_gripping_threshold: number;
        };
        /** RobotConfigResponse */
        readonly RobotConfigResponse: {
            readonly robot_id: number;
            readonly name: string;
            /** @description Null where the servos belong to another machine. */
            readonly config: components["schemas"]["ServoConfig"] | null;
            readonly gripper_joint_index: number | null;
            readonly servo_ids: readonly number[];
            /** @description Servo steps per turn. */
            readonly resolution: number;
        };
        /** HandRequest */
        readonly HandRequest: {
            /**
             * @description Id of a simulated arm.
             * @default 0
             */
            readonly robot_id?: number;
            /** @description Joint angles in radians that the hand leads to, by joint name; null lets go of all. */
            readonly joints?: {
                readonly [key: string]: number;
            } | null;
            /**
             * @description Time the hand takes, in seconds.
             * @default 1
             */
            readonly duration?: number;
        };
        /** Vector */
        readonly Vector: {
            readonly x: number;
            readonly y: number;
            readonly z: number;
        };
        /** Quaternion */
        readonly Quaternion: {
            readonly x: number;
            readonly y: number;
            readonly z: number;
            readonly w: number;
        };
        /** SimulationTruth */
        readonly SimulationTruth: {
            readonly robot_id: number;
            readonly name: string;
            /** @description Joint angles of the physics, in radians. */
            readonly joints: {
                readonly [key: string]: number;
            };
            /** @description Tool in the base frame, metres and a unit quaternion. */
            readonly tool: {
                readonly position: components["schemas"]["Vector"];
                readonly orientation: components["schemas"]["Quaternion"];
            };
            /** @description Of the physics, seconds since the epoch. */
            readonly time: number;
        };
        /** ServoStatus */
        readonly ServoStatus: {
            readonly joint: string;
            /** @description Time since its last reply, in seconds; null before the first. */
            readonly reply_age: number | null;
            /** @description Replies that never came. */
            readonly lost: number;
            /** @description Alarm bits of the servo; 0 = healthy. */
            readonly alarms: number;
            /** @description Degrees Celsius; null where it is not known. */
            readonly temperature: number | null;
            /** @description Volts; null where it is not known. */
            readonly voltage: number | null;
        };
        /** ArmStatus */
        readonly ArmStatus: {
            readonly id: number;
            readonly name: string;
            readonly model: string;
            /** @enum {string} */
            readonly state: "disconnected" | "connected" | "ready" | "moving" | "mirroring" | "floating" | "stopped";
            /** @description Who has the arm; null when it is free. */
            readonly owner: string | null;
            /** @description Since when, seconds since the epoch; null when it is free. */
            readonly owner_since: number | null;
            /** @description /move/init has set the zero. */
            readonly initialised: boolean;
            /** @description Part of its largest speeds that it may use. */
            readonly speed_scale: number;
            readonly torque: boolean;
            /** @description A calibration, or the model of a simulated arm, says where its joints are at zero. */
            readonly calibrated: boolean;
            /** @description Joints that are measured beyond their limits. */
            readonly outside_limits: readonly string[];
            /** @description Why its angles may be wrong, so that motions need `uncalibrated=true`; empty otherwise. */
            readonly doubt: string;
            /** @description Why it is disconnected or stopped; empty otherwise. */
            readonly reason: string;
            /** @description Age of the newest bus read, in seconds; null before the first. */
            readonly sample_age: number | null;
            /** @description The bus of the arm. */
            readonly bus: {
                /** @description Bytes that belonged to no valid reply. */
                readonly discarded: number;
                readonly round_trip: {
                    /** @description From request to last reply, median of the last seconds, in seconds; 0 before. */
                    readonly p50: number;
                    /** @description The same, 99th percentile. */
                    readonly p99: number;
                };
            };
            /** @description The servos of the arm, by joint. */
            readonly servos: readonly components["schemas"]["ServoStatus"][];
        };
        /** RobotStatus */
        readonly RobotStatus: {
            readonly name: string;
            /** @constant */
            readonly robot_type: "manipulator";
            readonly device_name: string | null;
            /** @description Of each servo, degrees Celsius; null for a simulated arm. */
            readonly temperature: readonly {
                readonly current: number;
                readonly max: number | null;
            }[] | null;
        };
        /** BridgeStatus */
        readonly BridgeStatus: {
            /** @constant */
            readonly status: "ok";
            /** @description Name of this computer. */
            readonly name: string;
            /** @description Models of the arms. */
            readonly robots: readonly string[];
            readonly robot_status: readonly components["schemas"]["RobotStatus"][];
            /** @description Outside the scope of the bridge: none. */
            readonly cameras: {
                readonly cameras_status: readonly unknown[];
                readonly is_stereo_camera_available: boolean;
                readonly realsense_available: boolean;
                readonly video_cameras_ids: readonly number[];
            };
            readonly version_id: string;
            /** @description Some arm is being recorded. */
            readonly is_recording: boolean;
            /** @constant */
            readonly ai_running_status: "stopped";
            /** @description Mirroring runs. */
            readonly leader_follower_status: boolean;
            readonly server_ip: string;
            readonly server_port: number;
            /** @description Port that hears POST /stop alone, whatever keeps this one busy; null: none. */
            readonly stop_port: number | null;
            /** @enum {string} */
            readonly dialect: "standard" | "phosphobot";
            readonly arms: readonly components["schemas"]["ArmStatus"][];
            readonly mirror: {
                /** @description Of the last stop. */
                readonly reason: string;
                readonly pairs: readonly components["schemas"]["PairState"][];
            };
            readonly ros: components["schemas"]["RosState"];
            readonly loop: components["schemas"]["LoopState"];
        };
        /**
         * TeleopRequest
         * @description Where a hand is, in axes of the base, from wherever the sender counts: its movements lead the tool.
         */
        readonly TeleopRequest: {
            /** @description Of the hand, forward, in centimetres. */
            readonly x: number;
            /** @description Of the hand, to the left, in centimetres. */
            readonly y: number;
            /** @description Of the hand, upwards, in centimetres. */
            readonly z: number;
            /** @description Pitch of the hand in degrees: positive lifts the nose. */
            readonly rx: number;
            /** @description Yaw of the hand in degrees: positive turns left. */
            readonly ry: number;
            /** @description Roll of the hand in degrees: positive is clockwise seen from behind. */
            readonly rz: number;
            /** @description Gripper: 0 closed to 1 open. */
            readonly open: number;
            /**
             * @description Which hand. Without robot_id the right one leads the first arm and the left one the second.
             * @default right
             * @enum {string}
             */
            readonly source?: "left" | "right";
            /**
             * @description When the message was sent, in seconds by any clock: one that is late or out of order is dropped.
             * @default null
             */
            readonly timestamp?: number | null;
            /**
             * @description Joystick; no arm has wheels, so it moves nothing.
             * @default 0
             */
            readonly direction_x?: number;
            /**
             * @description Joystick; no arm has wheels, so it moves nothing.
             * @default 0
             */
            readonly direction_y?: number;
        };
        /**
         * TeleopReport
         * @description Told about once a second while messages come.
         */
        readonly TeleopReport: {
            /** @description Messages that were followed since the last report. */
            readonly nb_actions_received: number;
            /** @description Null: the servos tell position and load alone. */
            readonly is_object_gripped: boolean | null;
            /** @description Null likewise. */
            readonly is_object_gripped_source: string | null;
        };
        /**
         * TeleopSettings
         * @description Of /move/teleop, for all arms, until the bridge ends.
         */
        readonly TeleopSettings: {
            /** @description Centimetres of the tool per centimetre of the hand; 1 at the start. Turns are not scaled. */
            readonly vr_scaling: number;
        };
        /**
         * UDPServerInformationResponse
         * @description The fields of /move/teleop, as JSON, one message a datagram, and `secret`.
         */
        readonly UDPServerInformationResponse: {
            /** @description Where the datagrams are to go: an address of the bridge. */
            readonly host: string;
            /** @description The UDP port. */
            readonly port: number;
            /** @description What each datagram carries as its field `secret`; it is new with each start. */
            readonly secret: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AbsoluteMoveRequest = components['schemas']['AbsoluteMoveRequest'];
export type RelativeMoveRequest = components['schemas']['RelativeMoveRequest'];
export type StatusResponse = components['schemas']['StatusResponse'];
export type ValidationError = components['schemas']['ValidationError'];
export type HttpValidationError = components['schemas']['HTTPValidationError'];
export type HttpError = components['schemas']['HTTPError'];
export type ProblemDetails = components['schemas']['ProblemDetails'];
export type Activity = components['schemas']['Activity'];
export type ArmState = components['schemas']['ArmState'];
export type JointFacts = components['schemas']['JointFacts'];
export type ArmFacts = components['schemas']['ArmFacts'];
export type PairState = components['schemas']['PairState'];
export type PairList = components['schemas']['PairList'];
export type Percentiles = components['schemas']['Percentiles'];
export type CycleTiming = components['schemas']['CycleTiming'];
export type LoopState = components['schemas']['LoopState'];
export type RosState = components['schemas']['RosState'];
export type LogLine = components['schemas']['LogLine'];
export type JournalEvent = components['schemas']['JournalEvent'];
export type ArmOverview = components['schemas']['ArmOverview'];
export type ArmList = components['schemas']['ArmList'];
export type MotionState = components['schemas']['MotionState'];
export type ReachableAnswer = components['schemas']['ReachableAnswer'];
export type LogAnswer = components['schemas']['LogAnswer'];
export type ConfigAnswer = components['schemas']['ConfigAnswer'];
export type CalibrateResponse = components['schemas']['CalibrateResponse'];
export type SweptJoint = components['schemas']['SweptJoint'];
export type CalibrationState = components['schemas']['CalibrationState'];
export type ConnectionDetails = components['schemas']['ConnectionDetails'];
export type RobotConnectionRequest = components['schemas']['RobotConnectionRequest'];
export type RobotConnectionResponse = components['schemas']['RobotConnectionResponse'];
export type LocalDevice = components['schemas']['LocalDevice'];
export type ScanDevicesResponse = components['schemas']['ScanDevicesResponse'];
export type Recording = components['schemas']['Recording'];
export type RecordedTopic = components['schemas']['RecordedTopic'];
export type RecordingFacts = components['schemas']['RecordingFacts'];
export type RecordingList = components['schemas']['RecordingList'];
export type RecordingChangeRequest = components['schemas']['RecordingChangeRequest'];
export type RecordingResponse = components['schemas']['RecordingResponse'];
export type EpisodeStartRequest = components['schemas']['EpisodeStartRequest'];
export type EpisodeStopRequest = components['schemas']['EpisodeStopRequest'];
export type EpisodeMarkRequest = components['schemas']['EpisodeMarkRequest'];
export type RunningEpisode = components['schemas']['RunningEpisode'];
export type EpisodeResponse = components['schemas']['EpisodeResponse'];
export type EpisodeStopResponse = components['schemas']['EpisodeStopResponse'];
export type EventList = components['schemas']['EventList'];
export type JointsReadRequest = components['schemas']['JointsReadRequest'];
export type JointsReadResponse = components['schemas']['JointsReadResponse'];
export type JointsWriteRequest = components['schemas']['JointsWriteRequest'];
export type TorqueReadResponse = components['schemas']['TorqueReadResponse'];
export type TorqueControlRequest = components['schemas']['TorqueControlRequest'];
export type LiveHello = components['schemas']['LiveHello'];
export type LiveArms = components['schemas']['LiveArms'];
export type LivePairs = components['schemas']['LivePairs'];
export type LiveLoop = components['schemas']['LiveLoop'];
export type LiveLog = components['schemas']['LiveLog'];
export type LiveEvents = components['schemas']['LiveEvents'];
export type LiveFrame = components['schemas']['LiveFrame'];
export type LiveServerSentEvent = components['schemas']['LiveServerSentEvent'];
export type LiveEvent = components['schemas']['LiveEvent'];
export type LiveRefusal = components['schemas']['LiveRefusal'];
export type LiveStopped = components['schemas']['LiveStopped'];
export type LiveSubscribe = components['schemas']['LiveSubscribe'];
export type LiveTwist = components['schemas']['LiveTwist'];
export type LiveJog = components['schemas']['LiveJog'];
export type LiveStop = components['schemas']['LiveStop'];
export type SessionRequest = components['schemas']['SessionRequest'];
export type SessionAnswer = components['schemas']['SessionAnswer'];
export type StopResponse = components['schemas']['StopResponse'];
export type RobotPairRequest = components['schemas']['RobotPairRequest'];
export type GravityCompensationValues = components['schemas']['GravityCompensationValues'];
export type StartLeaderArmControlRequest = components['schemas']['StartLeaderArmControlRequest'];
export type GravityStartRequest = components['schemas']['GravityStartRequest'];
export type MotionTarget = components['schemas']['MotionTarget'];
export type MotionReplay = components['schemas']['MotionReplay'];
export type MotionRequest = components['schemas']['MotionRequest'];
export type MotionFacts = components['schemas']['MotionFacts'];
export type MotionList = components['schemas']['MotionList'];
export type MoveResponse = components['schemas']['MoveResponse'];
export type ArmMoveResponse = components['schemas']['ArmMoveResponse'];
export type MoveAllResponse = components['schemas']['MoveAllResponse'];
export type EndEffectorReadRequest = components['schemas']['EndEffectorReadRequest'];
export type EndEffectorPosition = components['schemas']['EndEffectorPosition'];
export type RecordingStartRequest = components['schemas']['RecordingStartRequest'];
export type RecordingStartResponse = components['schemas']['RecordingStartResponse'];
export type RecordingStopRequest = components['schemas']['RecordingStopRequest'];
export type RecordingStopResponse = components['schemas']['RecordingStopResponse'];
export type RecordingPlayRequest = components['schemas']['RecordingPlayRequest'];
export type RecordingPlayResponse = components['schemas']['RecordingPlayResponse'];
export type VoltageReadResponse = components['schemas']['VoltageReadResponse'];
export type ServoTemperature = components['schemas']['ServoTemperature'];
export type TemperatureReadResponse = components['schemas']['TemperatureReadResponse'];
export type TemperatureWriteRequest = components['schemas']['TemperatureWriteRequest'];
export type ServoGains = components['schemas']['ServoGains'];
export type ServoConfig = components['schemas']['ServoConfig'];
export type RobotConfigResponse = components['schemas']['RobotConfigResponse'];
export type HandRequest = components['schemas']['HandRequest'];
export type Vector = components['schemas']['Vector'];
export type Quaternion = components['schemas']['Quaternion'];
export type SimulationTruth = components['schemas']['SimulationTruth'];
export type ServoStatus = components['schemas']['ServoStatus'];
export type ArmStatus = components['schemas']['ArmStatus'];
export type RobotStatus = components['schemas']['RobotStatus'];
export type BridgeStatus = components['schemas']['BridgeStatus'];
export type TeleopRequest = components['schemas']['TeleopRequest'];
export type TeleopReport = components['schemas']['TeleopReport'];
export type TeleopSettings = components['schemas']['TeleopSettings'];
export type UdpServerInformationResponse = components['schemas']['UDPServerInformationResponse'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
