/**
 * A process under test loads this file with `--import`. When the process receives SIGUSR2, it writes the source files
 * in which a function was called since the last signal, in any of its threads. It writes one file for each thread and
 * signal into the folder in the environment variable `COVERAGE_FOLDER`.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const PRODUCT = /\/dist\/((?:apps|libs)\/.+)\.js$/;
const START = [['Profiler.enable'], ['Profiler.startPreciseCoverage', { callCount: true, detailed: false }]];
const TAKE = 'Profiler.takePreciseCoverage';

const session = new Session();
session.connect();
for (const command of START) session.post(...command);

/** The inspector sessions of the threads. They are opened through the inspector of the main thread. */
const threads = new Set();
let messages = 0;
let signals = 0;

function postToThread(sessionId, method, params) {
  messages += 1;
  session.post('NodeWorker.sendMessageToWorker', {
    sessionId,
    message: JSON.stringify({ id: messages, method, params }),
  });
}

session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
  threads.add(sessionId);
  for (const [method, params] of START) postToThread(sessionId, method, params);
});
session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => threads.delete(sessionId));
session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
  const { result } = JSON.parse(message);
  if (Array.isArray(result?.result)) write(`thread${sessionId}`, result.result);
});
session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });

function write(thread, scripts) {
  const files = scripts.flatMap(({ url, functions }) => {
    const [, path] = PRODUCT.exec(url) ?? [];
    // A function at offset 0 is the module itself. It does not count, because it is executed when the module is loaded.
    const isCalled = functions.some(({ ranges: [range] }) => range.startOffset > 0 && range.count > 0);
    return path && isCalled ? [`${path}.ts`] : [];
  });
  writeFileSync(join(process.env.COVERAGE_FOLDER, `${process.pid}-${thread}-${signals}.json`), JSON.stringify(files));
}

process.on('SIGUSR2', () => {
  signals += 1;
  for (const sessionId of threads) postToThread(sessionId, TAKE);
  session.post(TAKE, (error, taken) => {
    if (error) throw error;
    write('main', taken.result);
  });
});
