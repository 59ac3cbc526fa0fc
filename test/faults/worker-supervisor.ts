import { setTimeout as pause } from 'node:timers/promises';

import type { FaultScene } from './fault-scene.js';

const LOOK_EVERY_MS = 100;

/** Replaces each worker of the scene that exits, until `stop` is called or the scenario ends. */
export class WorkerSupervisor {
  replaced = 0;
  private isStopping = false;
  private readonly supervision: Promise<void>;

  private constructor(
    private readonly scene: FaultScene,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.supervision = this.supervise();
  }

  /**
   * Supervises the current workers of the scene. They may be killed, or exit with code 9 because they have lost their
   * lease. Any other exit is a failure of the scenario.
   */
  static start(scene: FaultScene, env: Readonly<Record<string, string>> = {}): WorkerSupervisor {
    const supervisor = new WorkerSupervisor(scene, env);
    scene.atEndOfScenario(() => supervisor.stop());
    return supervisor;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.supervision;
  }

  private async supervise(): Promise<void> {
    const { stack } = this.scene;
    while (!this.isStopping) {
      for (const worker of stack.workers) {
        worker.expectExit('exit 9');
        worker.expectExit('SIGKILL');
      }
      const ended = stack.workers.filter((worker) => worker.hasEnded);
      stack.workers = stack.workers.filter((worker) => !worker.hasEnded);
      this.replaced += ended.length;
      // During a database outage, a replacement cannot start and exits. The next check then starts another one.
      await Promise.all(ended.map(() => stack.addWorker(this.env).catch(() => undefined)));
      await pause(LOOK_EVERY_MS);
    }
  }
}
