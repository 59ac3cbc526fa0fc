import { parentPort } from 'node:worker_threads';
import { CodeEngine } from './code-engine.js';
import type { CodeRequest, ThreadMessage } from './code-pool.js';

/** The program of a thread that executes untrusted code, one request at a time. */

// QuickJS calls this function to read the time zone of the machine. The function always reports UTC, because the
// results of code must not depend on the time zone.
Date.prototype.getTimezoneOffset = () => 0;

function send(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

const engine = await CodeEngine.start();
parentPort?.on('message', (request: CodeRequest) => {
  void engine.execute(request).then((result) => {
    send({ result });
    return engine.prepare();
  });
});
send({ ready: true });
