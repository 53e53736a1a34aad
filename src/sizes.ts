/** Largest sizes of what people name and list, in the configuration, in files of arms and scenes, and over HTTP. */

/** Most joints of an arm. */
export const MOST_JOINTS = 32;
/** Most pairs of leader and follower. */
export const MOST_PAIRS = 16;
/** Most characters of a name. */
export const LONGEST_NAME = 64;
/** Most characters of the name of an owner of an arm. */
export const LONGEST_OWNER = 128;
