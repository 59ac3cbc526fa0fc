import { Ledger } from './ledger.js';
import { createWorkspaceDatabase } from './postgres.js';
import { PostgresTap } from './postgres-tap.js';
import { type Stack, type StackOptions, startStack } from './stack.js';

export interface SceneOptions extends Omit<StackOptions, 'databaseUrl'> {
  /** True if the service should connect to its database through a {@link PostgresTap}. */
  tapped?: boolean;
}

/** Runs the service in separate processes, with a database and a tool server that records its calls. */
export class Scene {
  private constructor(
    readonly stack: Stack,
    readonly ledger: Ledger,
    private readonly openTap: PostgresTap | undefined,
    private readonly ends: (() => Promise<void>)[],
  ) {}

  static async start({ tapped = false, env, ...options }: SceneOptions): Promise<Scene> {
    const ends: (() => Promise<void>)[] = [];
    try {
      const database = await createWorkspaceDatabase();
      ends.push(() => database.drop());
      const ledger = await Ledger.start();
      ends.push(() => ledger.close());
      const tap = tapped ? await PostgresTap.open(database.url) : undefined;
      if (tap) ends.push(() => tap.close());
      const databaseUrl = tap?.url ?? database.url;
      const stack = await startStack({
        ...options,
        databaseUrl,
        workspace: database.workspace,
        env: { LOG_LEVEL: 'info', EGRESS_ALLOW: ledger.egressEntry, ...env },
      });
      ends.push(() => stack.stop());
      return new Scene(stack, ledger, tap, ends);
    } catch (error) {
      await endAll(ends).catch(() => undefined);
      throw error;
    }
  }

  get tap(): PostgresTap {
    if (!this.openTap) throw new Error('This scene was started without a tap.');
    return this.openTap;
  }

  /** Stops the workers in order and empties the ledger. Call this between two tests. */
  async reset(): Promise<void> {
    await this.stack.endWorkers();
    this.ledger.reset();
  }

  /** Stops everything. Rejects if a process has exited unexpectedly. */
  stop(): Promise<void> {
    return endAll(this.ends);
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
