import { parentPort } from 'node:worker_threads';
import { CodeEngine } from './code-engine.js';
import type { CodeRequest, ThreadMessage } from './code-pool.js';

// The function always reports UTC, because the results of code must not depend on the time zone.
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
