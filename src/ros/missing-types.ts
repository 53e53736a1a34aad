import type { Logger } from 'pino';

/** Error of rclnodejs for a type whose package is not installed, or is older than the type. */
interface MissingType {
  readonly code: 'MESSAGE_NOT_FOUND';
  readonly details: { readonly packageName: string; readonly type: string; readonly messageName: string };
}

function isMissingType(error: unknown): error is MissingType {
  const { code, details } = error as Partial<MissingType>;
  return code === 'MESSAGE_NOT_FOUND' && details?.packageName !== undefined;
}

/**
 * Makes an interface, or leaves it out with a warning if this ROS 2 lacks its type: one type must not cost all others.
 * @param what would be missing, human-readable
 * @returns what `make` does; null if it is left out
 * @throws whatever else `make` throws
 */
export function unlessTypeMissing<Made>(log: Pick<Logger, 'warn'>, what: string, make: () => Made): Made | null {
  try {
    return make();
  } catch (error) {
    if (!isMissingType(error)) throw error;
    const { packageName, type, messageName } = error.details;
    log.warn(
      `${what} is left out, since this ROS 2 has no ${packageName}/${type}/${messageName}: ` +
        `update its package ros-$ROS_DISTRO-${packageName.replaceAll('_', '-')} and restart the bridge`,
    );
    return null;
  }
}
