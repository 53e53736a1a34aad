import type { MirrorService } from '../mirror/mirror-service.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';
import { stampOf } from './time.ts';

/** Changes closer together than this are published together, ms. */
const TOGETHER = 50;
/** While mirroring, rate and latency are published at this interval, ms. */
const REFRESH = 1000;

/** `~/mirror_state`: the pairs, published at start, after every change, and each second while mirroring. */
export class MirrorState {
  readonly #stop: () => void;

  constructor(node: RosNode, mirror: MirrorService, qualities: Qualities, onError: (error: unknown) => void) {
    const publisher = node.createPublisher('arm_bridge/msg/MirrorState', '~/mirror_state', { qos: qualities.latched });
    let together: NodeJS.Timeout | undefined;

    const publish = (): void => {
      try {
        const { active, pairs, reason } = mirror.status();
        const stamp = stampOf(Date.now() / 1000);
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
      together ??= setTimeout(() => {
        together = undefined;
        publish();
      }, TOGETHER);
    });
    const refresh = setInterval(() => {
      if (mirror.status().active) publish();
    }, REFRESH);
    this.#stop = () => {
      unlisten();
      clearInterval(refresh);
      clearTimeout(together);
    };
    publish();
  }

  close(): void {
    this.#stop();
  }
}
