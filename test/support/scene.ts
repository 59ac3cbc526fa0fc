import { Ledger } from './ledger.js';
import { createTestDatabase } from './postgres.js';
import { PostgresTap } from './postgres-tap.js';
import { type Stack, type StackOptions, startStack } from './stack.js';

export interface SceneOptions extends Omit<StackOptions, 'databaseUrl'> {
  /** Lets the service reach its database only past a {@link PostgresTap}. */
  tapped?: boolean;
}

/** What a test of whole processes needs: a database of its own, a tool that keeps a ledger, and the service between them. */
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
      const database = await createTestDatabase();
      ends.push(() => database.drop());
      const ledger = await Ledger.start();
      ends.push(() => ledger.close());
      const tap = tapped ? await PostgresTap.open(database.url) : undefined;
      if (tap) ends.push(() => tap.close());
      const databaseUrl = tap?.url ?? database.url;
      const stack = await startStack({
        ...options,
        databaseUrl,
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

  /** Between two tests: the workers end in order, the ledger is empty. */
  async reset(): Promise<void> {
    await this.stack.endWorkers();
    this.ledger.reset();
  }

  /** Ends everything. Rejects when a process had ended in a way that nobody asked for. */
  stop(): Promise<void> {
    return endAll(this.ends);
  }
}

/** The last one first; what one of them throws keeps none of the others from being done. */
export async function endAll(ends: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends.splice(0).reverse()) await end().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
