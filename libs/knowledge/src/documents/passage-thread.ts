import { parentPort, workerData } from 'node:worker_threads';
import { passageBatches, type TextToCut } from './passages.js';

/** The program responds to each message with the next batch of passages, and with null after the last batch. */
const { document, text, settings } = workerData as TextToCut;
const batches = passageBatches({ document, text, settings });

parentPort?.on('message', () => {
  const batch = batches.next();
  parentPort?.postMessage(batch.done ? null : batch.value);
});
