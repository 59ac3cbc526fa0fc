import { Ledger } from './ledger.js';
import { createWorkspaceDatabase } from './postgres.js';
import { PostgresTap } from './postgres-tap.js';
import { SharedStack } from './shared-stack.js';
import { type Service, type Stack, type StackOptions, startStack } from './stack.js';

export interface SceneOptions extends Omit<StackOptions, 'databaseUrl'> {
  /**
   * Why the tests cannot use the shared service: they need settings that would disturb other files, or observe all
   * workspaces.
   */
  why: string;
  tapped?: boolean;
}

export class Scene<S extends Service = SharedStack> {
  protected constructor(
    readonly stack: S,
    readonly ledger: Ledger,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  /**
   * Returns a scene with a new workspace of the service that all test files of a jest worker share. `workers` is the
   * number of its worker processes. The test may kill and add workers.
   */
  static start({ workers = 1 }: { workers?: number } = {}): Promise<Scene> {
    return opened(async (ends) => {
      const ledger = await Ledger.start();
      ends.push(() => ledger.close());
      const stack = await SharedStack.join({ workers });
      ends.push(() => stack.stop());
      return new Scene(stack, ledger, ends);
    });
  }

  /** Returns a scene with its own API, workers and database. They take about seven seconds of CPU time. */
  static alone({ why: _why, tapped = false, env, ...options }: SceneOptions): Promise<LoneScene> {
    return opened(async (ends) => {
      const database = await createWorkspaceDatabase();
      ends.push(() => database.drop());
      const ledger = await Ledger.start();
      ends.push(() => ledger.close());
      const tap = tapped ? await PostgresTap.open(database.url) : undefined;
      if (tap) ends.push(() => tap.close());
      const stack = await startStack({
        ...options,
        databaseUrl: tap?.url ?? database.url,
        workspace: database.workspace,
        env: { LOG_LEVEL: 'info', EGRESS_ALLOW: ledger.egressEntry, ...env },
      });
      ends.push(() => stack.stop());
      return new LoneScene(stack, ledger, ends, tap);
    });
  }

  /**
   * Starts workers until `count` of them run, and returns those that run. A test that needs a worker, but not a new one,
   * takes the worker of the test before it, because a start takes a second of CPU time.
   */
  async haveWorkers(count = 1): Promise<S['workers']> {
    const running = (): S['workers'] => this.stack.workers.filter(({ hasEnded }) => !hasEnded);
    const missing = Math.max(0, count - running().length);
    await Promise.all(Array.from({ length: missing }, () => this.stack.addWorker()));
    return running();
  }

  /** Stops the workers in order and empties the ledger. Call this between two tests. */
  async reset(): Promise<void> {
    await this.stack.endWorkers();
    this.ledger.reset();
  }

  /** Stops everything that only this scene uses. Rejects if a process has exited unexpectedly. */
  stop(): Promise<void> {
    return endAll(this.ends);
  }
}

export class LoneScene extends Scene<Stack> {
  constructor(
    stack: Stack,
    ledger: Ledger,
    ends: (() => Promise<void>)[],
    private readonly openTap: PostgresTap | undefined,
  ) {
    super(stack, ledger, ends);
  }

  get tap(): PostgresTap {
    if (!this.openTap) throw new Error('This scene was started without a tap.');
    return this.openTap;
  }
}

/** Calls `open`. If it rejects, runs the cleanup functions that it has added. */
export async function opened<Result>(open: (ends: (() => Promise<void>)[]) => Promise<Result>): Promise<Result> {
  const ends: (() => Promise<void>)[] = [];
  try {
    return await open(ends);
  } catch (error) {
    await endAll(ends).catch(() => undefined);
    throw error;
  }
}

/**
 * Runs the cleanup functions in reverse order. If one of them rejects, the remaining ones still run. Afterwards, throws
 * the first error.
 */
export async function endAll(ends: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends.splice(0).reverse()) await end().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
