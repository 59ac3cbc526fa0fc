import type { SealedBox } from '@app/platform/crypto';
import type { Statements } from '@app/platform/database';
import { Renewal, type FoundRow, type SealedTable } from './sealed-table.js';

export interface ResealProgress {
  table: string;
  pass: number;
  read: number;
  renewed: number;
  done: boolean;
}

export interface ResealReport {
  renewed: number;
  /** Number of values that cannot be decrypted with any key, by table. They were not changed. */
  unreadable: ReadonlyMap<string, number>;
  lookalikes: ReadonlyMap<string, number>;
  /** If false, a running process of the service still seals with a previous key. */
  complete: boolean;
}

const BATCH = 100;
/**
 * Usually two are enough: the first seals values, and the second finds none. If the last pass still finds values, a
 * running process of the service still seals with a previous key.
 */
const MAX_PASSES = 5;

/**
 * Each sealed value contains the id of its key, so no progress is stored: the command can be repeated after a crash,
 * and two processes may execute it at the same time. A running service may change or copy rows during a pass, so passes
 * repeat until one finds no value to seal.
 */
export class Resealing {
  constructor(
    private readonly statements: Statements,
    private readonly box: SealedBox,
    private readonly tables: readonly SealedTable[],
  ) {}

  async run(tell: (progress: ResealProgress) => void): Promise<ResealReport> {
    let renewed = 0;
    for (let pass = 1; ; pass++) {
      let stale = 0;
      const [unreadable, lookalikes] = [new Map<string, number>(), new Map<string, number>()];
      for (const table of this.tables) {
        const renewal = new Renewal(this.box);
        const found = await this.sweep(table, renewal, (counts) => tell({ table: table.name, pass, ...counts }));
        stale += found.stale;
        renewed += found.renewed;
        const counted = table.holdsLookalikes ? lookalikes : unreadable;
        if (renewal.unreadable > 0) counted.set(table.name, renewal.unreadable);
      }
      if (stale === 0 || pass === MAX_PASSES) return { renewed, unreadable, lookalikes, complete: stale === 0 };
    }
  }

  private async sweep(
    table: SealedTable,
    renewal: Renewal,
    tell: (counts: Pick<ResealProgress, 'read' | 'renewed' | 'done'>) => void,
  ): Promise<{ stale: number; renewed: number }> {
    let [read, stale, renewed] = [0, 0, 0];
    let last: FoundRow | undefined;
    for (;;) {
      const after = last ? JSON.stringify(last.key) : null;
      const page = await this.statements.query<FoundRow>(table.find, [after, BATCH, this.box.currentPrefix]);
      const fresh = page.flatMap((found) => {
        const values = table.renew(found, renewal);
        return Object.keys(values).length === 0 ? [] : [{ key: found.key, revision: found.revision, values }];
      });
      if (fresh.length > 0) {
        renewed += (await this.statements.query(table.replace, [JSON.stringify(fresh)])).length;
      }
      stale += fresh.length;
      read += page.length;
      last = page.at(-1);
      const done = page.length < BATCH;
      tell({ read, renewed, done });
      if (done) return { stale, renewed };
    }
  }
}
