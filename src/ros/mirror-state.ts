import type { Clock, Timer } from '../clock.ts';
import type { MirrorService } from '../mirror/mirror-service.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';
import { stampOf } from './time.ts';

/** Changes closer together than this are published together, s. */
const TOGETHER = 0.05;
/** While mirroring, rate and latency are published at this interval, s. */
const REFRESH = 1;

/** `~/mirror_state`: the pairs, published at start, after every change, and each second while mirroring. */
export class MirrorState {
  readonly #stop: () => void;

  constructor(
    node: RosNode,
    mirror: MirrorService,
    clock: Clock,
    qualities: Qualities,
    onError: (error: unknown) => void,
  ) {
    const publisher = node.createPublisher('arm_bridge/msg/MirrorState', '~/mirror_state', { qos: qualities.latched });
    let together: Timer | null = null;

    const publish = (): void => {
      try {
        const { active, pairs, reason } = mirror.status();
        const stamp = stampOf(clock.wall());
        publisher.publish({
          header: { stamp, frame_id: '' },
          active,
          pairs: pairs.map(({ leader, follower, state, owner, since, rate, latency, reason }) => {
            return { leader, follower, state, owner, owner_since: stampOf(since), rate, latency, reason };
          }),
          reason,
        });
      } catch (error) {
        onError(error);
      }
    };
    const unlisten = mirror.onChange(() => {
      together ??= clock.after(TOGETHER, () => {
        together = null;
        publish();
      });
    });
    const refresh = clock.every(REFRESH, () => {
      if (mirror.status().active) publish();
    });
    this.#stop = () => {
      unlisten();
      refresh.cancel();
      together?.cancel();
    };
    publish();
  }

  close(): void {
    this.#stop();
  }
}
