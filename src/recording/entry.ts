/** Entry of the recording thread: runs `RecordingThread` in a worker. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { fileDisk } from '../disk.ts';
import { FolderLock } from './folder-lock.ts';
import type { ToRecording } from './messages.ts';
import { type RecordingSetup, RecordingThread } from './recording-thread.ts';

const port = parentPort!;
const thread = new RecordingThread(workerData as RecordingSetup, systemClock, fileDisk, new FolderLock(), (message) =>
  port.postMessage(message),
);
thread.onClosed = () => port.close();
port.on('message', (message: ToRecording) => thread.receive(message));
