import { expect, test } from 'vitest';
import { type RecordingChannel, RecordingClient } from '../../src/recording/recording-client.ts';

/** A thread that does at once what it is asked for, and ends with the answer to `shutdown`, as Node hands both over. */
function clientOf() {
  const started: RecordingChannel[] = [];
  const client = new RecordingClient(() => {
    const channel: RecordingChannel = {
      onMessage: () => {},
      onExit: () => {},
      post: (message) => {
        if (!('command' in message)) return;
        channel.onMessage({ kind: 'reply', request: message.request, result: [] });
        if (message.command.kind === 'shutdown') channel.onExit(new Error('it has ended'));
      },
    };
    started.push(channel);
    return channel;
  });
  const failures: Error[] = [];
  client.onFailure = (reason) => void failures.push(reason);
  return { client, started, failures };
}

test('a thread that ends with its last answer has not failed, and no other is started', async () => {
  const { client, started, failures } = clientOf();
  await client.command({ kind: 'recover' });
  await client.close();
  expect(failures).toEqual([]);
  expect(client.running).toBe(false);
  await expect(client.command({ kind: 'recover' })).rejects.toThrow('The bridge is ending');
  expect(started).toHaveLength(1);
});
