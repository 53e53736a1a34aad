import { expect, test } from 'vitest';
import { BridgeError } from '../../src/arm/types.ts';
import { buildApp, fakeServices } from './fakes.ts';

const STATE = '/api/v1/arms/follower/calibration';

test('each call of /calibrate answers its step in the four fields that clients know', async () => {
  const services = fakeServices();
  const app = buildApp(services);
  expect((await app.inject({ method: 'GET', url: STATE })).statusCode).toBe(404);
  const url = '/calibrate?robot_id=1&reversed=elbow_flex,gripper';
  const reply = await app.inject({ method: 'POST', url });
  expect([reply.statusCode, reply.json()]).toEqual([
    200,
    { calibration_status: 'in_progress', message: 'Step 1', current_step: 1, total_nb_steps: 5 },
  ]);
  expect(services.calibration.reversed).toEqual(['elbow_flex', 'gripper']);
  const state = (await app.inject({ method: 'GET', url: STATE })).json();
  expect(state).toMatchObject({ calibration_status: 'in_progress', current_step: 1 });
  // What has not been measured is no number, and JSON has none for it.
  expect(state.joints[0]).toEqual({
    name: expect.any(String),
    position: null,
    least: -1,
    most: 1,
    range: 3,
    done: true,
  });
  for (const message of [/has ended/, /was not being calibrated/]) {
    expect((await app.inject({ method: 'DELETE', url: STATE })).json()).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(message),
    });
  }
  // Whoever has looked on hears how it ended.
  expect((await app.inject({ method: 'GET', url: STATE })).json()).toMatchObject({
    detail: expect.stringMatching(/is not being calibrated: its last calibration was cancelled\. POST \/calibrate/),
  });
  await app.close();
});

test.each([
  ['standard', 409],
  ['phosphobot', 200],
] as const)('an arm that somebody else drives is not calibrated: in the %s dialect %i', async (dialect, status) => {
  const services = fakeServices({ config: { dialect } });
  const app = buildApp(services);
  services.calibration.refusal = new BridgeError('owned', 'Arm leader is driven by a ROS action.');
  const reply = await app.inject({ method: 'POST', url: '/calibrate' });
  expect(reply.statusCode).toBe(status);
  expect(JSON.stringify(reply.json())).toContain('is driven by a ROS action');
  if (dialect === 'phosphobot') expect(reply.json()).toMatchObject({ calibration_status: 'error', current_step: 0 });
  await app.close();
});
