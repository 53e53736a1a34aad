export const IMAGE = 'sensor_msgs/msg/Image';
export const COMPRESSED_IMAGE = 'sensor_msgs/msg/CompressedImage';
export const CAMERA_INFO = 'sensor_msgs/msg/CameraInfo';
/** Message types of camera topics. */
export const CAMERA_TYPES = [COMPRESSED_IMAGE, IMAGE, CAMERA_INFO] as const;

export type CameraType = (typeof CAMERA_TYPES)[number];

/** A topic of a camera on the ROS graph. */
export interface Camera {
  readonly topic: string;
  readonly type: CameraType;
}

/** A camera topic of whose type only its name is known, as `image_transport` names topics. */
export function cameraAt(topic: string): Camera {
  if (topic.endsWith('/compressed')) return { topic, type: COMPRESSED_IMAGE };
  return { topic, type: topic.endsWith('/camera_info') ? CAMERA_INFO : IMAGE };
}
