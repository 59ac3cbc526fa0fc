import type { ObservedRun, RunDatabase } from './run-database.js';
import { RunModel } from './run-model.js';
import { type BegunCall, WorkerModel, type WorkerName } from './worker-model.js';

/**
 * The complete model: one run, two workers, and the outside world. The outside world counts the calls that took effect.
 */
export class World {
  readonly run = new RunModel();
  readonly workers: Record<WorkerName, WorkerModel>;
  readonly ledger: BegunCall[] = [];
  /** Paths of the writes that a person has decided to repeat. A path is listed once for each repetition. */
  readonly repeats: string[] = [];
  /** State of the database after the previous command. */
  before: ObservedRun | undefined;
  private named = 0;

  constructor(
    readonly workspaceId: string,
    readonly runId: string,
  ) {
    this.workers = { A: new WorkerModel('A', runId), B: new WorkerModel('B', runId) };
  }

  static async create(database: RunDatabase): Promise<World> {
    await database.clear();
    const place = await database.aPlace();
    const runId = await database.aRun(place);
    if (runId === undefined) throw new Error('the run was not created');
    const world = new World(place.workspaceId, runId);
    for (const worker of Object.values(world.workers)) await world.register(worker, database);
    return world;
  }

  async register(worker: WorkerModel, database: RunDatabase): Promise<void> {
    await database.register(worker.id);
    this.run.alive.add(worker.id);
  }

  isAlive(worker: WorkerModel): boolean {
    return this.run.alive.has(worker.id);
  }

  newPath(): string {
    this.named += 1;
    return `call${this.named}`;
  }

  /** Returns whether a worker still has the call open, so that it may still take effect. */
  isInFlight(n: number): boolean {
    return Object.values(this.workers).some((worker) => worker.attempt?.inFlight.some((call) => call.n === n));
  }
}
