/** Longest time that a stopped arm may take to come to rest, s. It brakes within 0.25 s, later on a busy computer. */
export const REST_LIMIT = 0.8;

/** Why a stop is not confirmed, human-readable. */
export const UNRESTED = {
  moves: `it is stopped, and its joints still move ${REST_LIMIT} s later: hold it, and switch its power off`,
  silent:
    'its servos fell silent before they were seen at rest: it may move or hold, so hold it, and switch its power off',
} as const;
