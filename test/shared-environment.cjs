const { TestEnvironment } = require('jest-environment-node');

let shared;

// Jest reports a worker that exits half a second after its last test file, or later, as one that hangs. Freeing the
// memory of the modules takes longer. A worker that hangs does not get here.
if (process.send) {
  process.once('exit', (code) => {
    if (code === 0) process.kill(process.pid, 'SIGKILL');
  });
}

/**
 * The environment of all test files of a jest worker, so that they share the modules that are loaded
 * (shared-runtime.cjs). A file that needs an environment of its own starts with `@jest-environment node` in a comment.
 */
module.exports = class SharedEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (shared !== undefined) return shared;
    super(config, context);
    const { process: copy } = this.global;
    this.initial = { env: { ...copy.env }, exit: copy.exit };
    shared = this;
  }

  /** Undoes what a test file usually changes. */
  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    const { process: copy } = this.global;
    for (const name of Object.keys(copy.env)) if (!(name in this.initial.env)) delete copy.env[name];
    Object.assign(copy.env, this.initial.env);
    copy.exit = this.initial.exit;
    // Each file adds its own handlers of the events of jest-circus.
    delete this.global[Symbol.for('EVENT_HANDLERS')];
  }
};
