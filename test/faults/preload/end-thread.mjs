/** When the program receives SIGWINCH, its threads exit as if they had crashed. */
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const running = [];

threads.Worker = class extends threads.Worker {
  constructor(...given) {
    super(...given);
    running.push(this);
  }
};
syncBuiltinESMExports();

process.on('SIGWINCH', () => {
  for (const thread of running.splice(0)) void thread.terminate();
});
