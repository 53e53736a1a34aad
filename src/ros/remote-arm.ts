import type { Logger } from 'pino';
import type { Arm, ArmState } from '../arm/types.ts';
import type { StreamService } from '../mirror/stream-service.ts';
import { NODE_NAME } from './arguments.ts';
import { type BridgeIdentity, bridgeOwner, frameOf } from './bridge-identity.ts';
import { JointStateEncoder } from './cdr.ts';
import { JointInput, jointValuesFault } from './joint-input.ts';
import { JOINT_STATE } from './local-arm.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';
import { HEARD_WITHIN, Reach, UNHEARD_ADVICE } from './reach.ts';
import { type OwnerStatus, RemoteOwner } from './remote-owner.ts';

/** States in which setpoints are sent. In all others the machine that owns the bus holds the arm by itself. */
const DRIVEN: ReadonlySet<ArmState> = new Set(['moving', 'mirroring', 'floating']);

/**
 * The topics of an arm whose bus another machine owns. They belong to the bridge's root node, because the node in the
 * arm's namespace, with its services, belongs to the owner.
 */
export class RemoteArm {
  readonly #publish: () => void;
  readonly #look: () => void;

  /** @param node the root node; names are relative to its namespace `prefix` @param bridge this one */
  constructor(
    node: RosNode,
    prefix: string,
    arm: Arm,
    onGraph: ArmNames,
    joints: StreamService,
    qualities: Qualities,
    log: Logger,
    bridge: BridgeIdentity,
  ) {
    const names = arm.model.joints.map((joint) => joint.name);
    const commands = node.createPublisher(JOINT_STATE, `${arm.name}/joint_commands`, { qos: qualities.stream });
    const encoder = new JointStateEncoder(onGraph.joints, frameOf(bridge));
    let published = 0;

    this.#publish = () => {
      const { state, goalTime, setpoints } = arm.read();
      if (!DRIVEN.has(state) || goalTime === published || goalTime === 0) return;
      published = goalTime;
      // Without the droop of the model, which the owner of the bus adds.
      commands.publish(encoder.encode(goalTime, setpoints, null, null));
    };

    const states = `${prefix}/${arm.name}/joint_states`;
    const owner = new RemoteOwner(arm, joints, bridgeOwner(bridge, `${prefix}/${arm.name}/joint_commands`));
    const known = new Map(names.map((name, index) => [name, index]));
    /**
     * Writes the values of all joints to `out` in model order. @returns why a message lacks them; null when it does not
     */
    const ordered = (
      named: readonly string[],
      values: Float64Array,
      what: 'positions' | 'velocities' | 'efforts',
      out: Float64Array,
    ): string | null => {
      const fault = jointValuesFault(named, values, known, what);
      if (fault !== null) return fault;
      if (named.length !== names.length) {
        const missing = names.filter((name) => !named.includes(name));
        return `it lacks the joints ${missing.join(', ')} of the model ${arm.model.name}`;
      }
      for (let index = 0; index < names.length; index++) out[known.get(named[index]!)!] = values[index]!;
      return null;
    };
    const positions = new Float64Array(names.length);
    const velocities = new Float64Array(names.length);
    const efforts = new Float64Array(names.length);
    const input = new JointInput(states, log, (message) => {
      const named = onGraph.ofModel(message.names);
      const moving = message.velocities.length > 0;
      const loaded = message.efforts.length > 0;
      const fault =
        ordered(named, message.positions, 'positions', positions) ??
        (moving ? ordered(named, message.velocities, 'velocities', velocities) : null) ??
        (loaded ? ordered(named, message.efforts, 'efforts', efforts) : null);
      if (fault === null) joints.remoteState(arm, positions, moving ? velocities : null, loaded ? efforts : null);
      return fault;
    });
    const torques = new Float64Array(names.length);
    const pushes = new JointInput(`${prefix}/${arm.name}/external_torques`, log, (message) => {
      const fault = ordered(onGraph.ofModel(message.names), message.efforts, 'efforts', torques);
      if (fault === null) joints.remoteTorques(arm, torques);
      return fault;
    });
    const options = { qos: qualities.observed, isRaw: true } as const;
    const reach = new Reach();
    this.#look = () => {
      const publishers = node.getPublishersInfoByTopic(states).length;
      const ambiguous = publishers > 1 ? severalTell(publishers, states) : '';
      if (ambiguous !== owner.ambiguous) {
        owner.ambiguous = ambiguous;
        if (ambiguous !== '') log.error(`${arm.name}: ${ambiguous}`);
        else log.info(`${arm.name}: one program alone publishes ${states} again`);
      }
      if (!reach.look(publishers, arm.clock.now())) return;
      log.warn(`${arm.name}: ${states} is seen, but no message has come for ${HEARD_WITHIN} s: ${UNHEARD_ADVICE}`);
    };
    const status = `${arm.name}/${NODE_NAME}/status`;
    node.createSubscription<OwnerStatus>('arm_bridge/msg/ArmStatus', status, { qos: qualities.latched }, (message) => {
      // Also comes from a bridge whose arm is disconnected, which has no states to tell.
      reach.heard();
      owner.told(message);
    });
    for (const [topic, entrance] of [
      ['joint_states', input],
      ['external_torques', pushes],
    ] as const) {
      node.createSubscription(JOINT_STATE, `${arm.name}/${topic}`, options, (bytes) => {
        reach.heard();
        // Positions of two arms in turn are those of none.
        if (owner.ambiguous === '') entrance.receive(bytes, arm.clock.now());
      });
    }
  }

  /** Warns of a machine that is on the graph, but whose messages do not arrive. Call about once a second. */
  look(): void {
    this.#look();
  }

  /** Sends the newest setpoints while the arm is driven. */
  publish(): void {
    this.#publish();
  }
}

/** Why an arm whose states come from several programs is not driven. */
function severalTell(publishers: number, states: string): string {
  return (
    `${publishers} programs publish ${states}, so nobody knows whose arm answers: rename one of the arms, or give its bridge ` +
    'another namespace (--ros-args -r __ns:=/lab2); one that was killed counts until the middleware has found it dead, some 20 s'
  );
}
