import { parentPort, workerData } from 'node:worker_threads';
import { passageBatches, type TextToCut } from './passages.js';

/** A thread that cuts one text: a batch of passages for every message, null when there are no more. Whoever asks sets the pace. */
const { document, text, settings } = workerData as TextToCut;
const batches = passageBatches({ document, text, settings });

parentPort?.on('message', () => {
  const batch = batches.next();
  parentPort?.postMessage(batch.done ? null : batch.value);
});
