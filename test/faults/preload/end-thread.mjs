/** When the program receives SIGUSR2, its threads exit as if they had crashed. */
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

process.on('SIGUSR2', () => {
  for (const thread of running.splice(0)) void thread.terminate();
});
