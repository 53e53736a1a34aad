import { startRos } from '../../../src/ros/room.ts';
import { FakeArm, FakeBridge } from './fakes.ts';

/**
 * A process that is a bridge: `child.js <discovery> <end>`. It works through some control cycles, says `ready`, goes on
 * until its input ends, closes the room, says `closed`, and ends by `end`: `return` or `exit`.
 */
const [discovery, end] = process.argv.slice(2) as ['localhost' | 'subnet' | 'off', 'return' | 'exit'];
const arms = [new FakeArm(0, 'leader'), new FakeArm(1, 'follower'), new FakeArm(2, 'far', true)];
const bridge = new FakeBridge(arms, [], discovery);
const room = await startRos(bridge.services);
const ticking = setInterval(() => {
  for (const { snapshot } of arms) {
    snapshot.state = 'mirroring';
    snapshot.torque = true;
    snapshot.sampleTime = snapshot.goalTime = Date.now() / 1000;
    for (const values of [snapshot.positions, snapshot.goals, snapshot.setpoints]) values.fill(0.5);
  }
  bridge.cycle();
}, 5);
await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(`ready, ${process.listenerCount('SIGINT')} listeners of SIGINT\n`);
process.stdin.resume();
await new Promise((resolve) => process.stdin.once('end', resolve));
await room.close();
await room.close();
clearInterval(ticking);
process.stdout.write('closed\n');
if (end === 'exit') process.exit(0);
