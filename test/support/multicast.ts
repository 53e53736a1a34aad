import { createSocket } from 'node:dgram';

/** Whether this machine hears on its loopback network what is told to a group there. */
export async function hearsGroups(): Promise<boolean> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.on('error', () => resolve(false));
      socket.on('message', () => resolve(true));
      socket.bind(0, '0.0.0.0', () => {
        socket.addMembership('224.0.0.251', '127.0.0.1');
        socket.setMulticastInterface('127.0.0.1');
        socket.send('?', socket.address().port, '224.0.0.251');
      });
      setTimeout(() => resolve(false), 5000);
    });
  } catch {
    return false;
  } finally {
    socket.close();
  }
}
