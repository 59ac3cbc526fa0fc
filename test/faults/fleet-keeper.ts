import { setTimeout as pause } from 'node:timers/promises';

import type { FaultScene } from './fault-scene.js';

const LOOK_EVERY_MS = 100;

/** Does what a supervisor of processes does: puts a new worker into the place of one that has ended, until it is told to end or its scenario has. */
export class FleetKeeper {
  /** How many workers ended meanwhile. */
  replaced = 0;
  private ending = false;
  private readonly keeping: Promise<void>;

  private constructor(
    private readonly scene: FaultScene,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.keeping = this.keep();
  }

  /** Of the workers that the scene has now. They may lose their lease (exit 9) or be killed; any other end is a problem. */
  static begin(scene: FaultScene, env: Readonly<Record<string, string>> = {}): FleetKeeper {
    const keeper = new FleetKeeper(scene, env);
    scene.atEndOfScenario(() => keeper.end());
    return keeper;
  }

  async end(): Promise<void> {
    this.ending = true;
    await this.keeping;
  }

  private async keep(): Promise<void> {
    const { stack } = this.scene;
    while (!this.ending) {
      for (const worker of stack.workers) {
        worker.expectExit('exit 9');
        worker.expectExit('SIGKILL');
      }
      const ended = stack.workers.filter((worker) => worker.hasEnded);
      stack.workers = stack.workers.filter((worker) => !worker.hasEnded);
      this.replaced += ended.length;
      // One that cannot start while the database is away ends, and is replaced in the next round.
      await Promise.all(ended.map(() => stack.addWorker(this.env).catch(() => undefined)));
      await pause(LOOK_EVERY_MS);
    }
  }
}
