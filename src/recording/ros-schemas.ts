import { CAMERA_INFO, COMPRESSED_IMAGE, IMAGE } from '../cameras.ts';

/** Message definitions as rosbag2 and Foxglove read them (`ros2msg`), each with the definitions that it depends on. */

const LINE = '='.repeat(80);
const TIME = `MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`;
const HEADER = `MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`;
const VECTOR = `MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
`;
const POINT = `MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
`;
const QUATERNION = `MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
`;

function definition(own: string, ...parts: readonly string[]): string {
  return [own, ...parts].join(`${LINE}\n`);
}

export const JOINT_STATE = 'sensor_msgs/msg/JointState';
export const POSE = 'geometry_msgs/msg/PoseStamped';
export const WRENCH = 'geometry_msgs/msg/WrenchStamped';
export const TRANSFORMS = 'tf2_msgs/msg/TFMessage';
export const TEXT = 'std_msgs/msg/String';
export const EVENT = 'rcl_interfaces/msg/Log';

/** Definitions by type name. */
export const ROS_SCHEMAS = {
  [JOINT_STATE]: definition(
    `std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
`,
    HEADER,
    TIME,
  ),
  [POSE]: definition(
    `std_msgs/Header header
geometry_msgs/Pose pose
`,
    HEADER,
    TIME,
    `MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
`,
    POINT,
    QUATERNION,
  ),
  [WRENCH]: definition(
    `std_msgs/Header header
geometry_msgs/Wrench wrench
`,
    HEADER,
    TIME,
    `MSG: geometry_msgs/Wrench
geometry_msgs/Vector3 force
geometry_msgs/Vector3 torque
`,
    VECTOR,
  ),
  [TRANSFORMS]: definition(
    `geometry_msgs/TransformStamped[] transforms
`,
    `MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
`,
    `MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
`,
    HEADER,
    TIME,
    VECTOR,
    QUATERNION,
  ),
  [TEXT]: `string data
`,
  [EVENT]: definition(
    `byte DEBUG=10
byte INFO=20
byte WARN=30
byte ERROR=40
byte FATAL=50
builtin_interfaces/Time stamp
uint8 level
string name
string msg
string file
string function
uint32 line
`,
    TIME,
  ),
  [IMAGE]: definition(
    `std_msgs/Header header
uint32 height
uint32 width
string encoding
uint8 is_bigendian
uint32 step
uint8[] data
`,
    HEADER,
    TIME,
  ),
  [COMPRESSED_IMAGE]: definition(
    `std_msgs/Header header
string format
uint8[] data
`,
    HEADER,
    TIME,
  ),
  [CAMERA_INFO]: definition(
    `std_msgs/Header header
uint32 height
uint32 width
string distortion_model
float64[] d
float64[9] k
float64[9] r
float64[12] p
uint32 binning_x
uint32 binning_y
sensor_msgs/RegionOfInterest roi
`,
    HEADER,
    TIME,
    `MSG: sensor_msgs/RegionOfInterest
uint32 x_offset
uint32 y_offset
uint32 height
uint32 width
bool do_rectify
`,
  ),
} as const satisfies Readonly<Record<string, string>>;

export type RosType = keyof typeof ROS_SCHEMAS;

/** Quality of service of a latched topic, whose last message late subscribers receive, as rosbag2 writes it. */
const LATCHED = `- history: 1
  depth: 1
  reliability: 1
  durability: 1
  deadline:
    sec: 9223372036
    nsec: 854775807
  lifespan:
    sec: 9223372036
    nsec: 854775807
  liveliness: 1
  liveliness_lease_duration:
    sec: 9223372036
    nsec: 854775807
  avoid_ros_namespace_conventions: false`;

/** `offered_qos_profiles` of a topic in an episode; empty: the player's default. */
export function qosOf(topic: string): string {
  return topic.endsWith('/robot_description') || topic === '/tf_static' ? LATCHED : '';
}
