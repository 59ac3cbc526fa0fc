import { setTimeout as pause } from 'node:timers/promises';

import { Client, type Pool } from 'pg';

import { type Post, requestBytes, SingleConnection } from '../http-load.js';
import type { RunObserver, SingleRuns } from './contender.js';

/** The table in which a contender stores the statuses of runs. It has one row per run, which the contender updates. */
export interface RunTable {
  databaseUrl: string;
  table: string;
  /** Values of the column `status` that an open run can have. */
  open: readonly string[];
  succeeded: string;
}

const LOOK_EVERY_MS = 25;
const END_WITHIN_MS = 120_000;
const NEXT_END_WITHIN_MS = 20_000;

/**
 * Reports the end of each run when it is committed. A database trigger notifies this class, which avoids the load of
 * polling and works for every contender.
 */
class RunEnds {
  private waiting: ((at: number) => void) | undefined;

  private constructor(
    private readonly client: Client,
    private readonly table: string,
  ) {
    // If the benchmark is interrupted, the server closes the connection. Without a listener, this error would end the
    // process.
    client.on('error', () => undefined);
    client.on('notification', () => {
      this.waiting?.(performance.now());
      this.waiting = undefined;
    });
  }

  static async listen({ databaseUrl, table, open }: RunTable): Promise<RunEnds> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const isOpen = (row: string): string => `${row}.status in (${open.map((each) => `'${each}'`).join(', ')})`;
    await client.query(`
      create or replace function public.bench_announce() returns trigger language plpgsql as $$
        begin perform pg_notify('bench_ends', ''); return null; end $$;
      create or replace trigger bench_announce after update on ${table} for each row
        when (${isOpen('old')} and not (${isOpen('new')})) execute function public.bench_announce()`);
    await client.query('listen bench_ends');
    return new RunEnds(client, table);
  }

  /**
   * Resolves with the time at which the next run ends, by the clock of `performance.now()`. Call this method before the
   * run starts, and only while no other run is open.
   */
  next(): Promise<number> {
    return new Promise((resolve, reject) => {
      const patience = setTimeout(
        () => reject(new Error(`No run ended in ${NEXT_END_WITHIN_MS / 1000} s.`)),
        NEXT_END_WITHIN_MS,
      );
      this.waiting = (at) => {
        clearTimeout(patience);
        resolve(at);
      };
    });
  }

  async close(): Promise<void> {
    await this.client.query(`drop trigger bench_announce on ${this.table}`);
    await this.client.end();
  }
}

export class TableObserver implements RunObserver {
  private readonly database: Pool;

  /** `post` starts one run, and its response has the status `acceptedStatus`. */
  constructor(
    private readonly runs: RunTable,
    private readonly post: Post,
    private readonly acceptedStatus: number,
    openPool: (url: string) => Pool,
  ) {
    this.database = openPool(runs.databaseUrl);
  }

  async untilAllEnded(begun: () => boolean): Promise<void> {
    const { table, open } = this.runs;
    const deadline = performance.now() + END_WITHIN_MS;
    const anyOpen = `select from ${table} where status = any($1) limit 1`;
    while (!begun() || (await this.database.query(anyOpen, [open])).rowCount !== 0) {
      if (performance.now() > deadline) throw new Error(`The runs did not end in ${END_WITHIN_MS / 1000} s.`);
      await pause(LOOK_EVERY_MS);
    }
  }

  async succeededRuns(): Promise<number> {
    const { table, succeeded } = this.runs;
    const count = `select count(*)::integer as count from ${table} where status = $1`;
    const { rows } = await this.database.query<{ count: number }>(count, [succeeded]);
    return rows[0]?.count ?? 0;
  }

  async openSingleRuns(): Promise<SingleRuns> {
    const ends = await RunEnds.listen(this.runs);
    const connection = await SingleConnection.open(this.post.url);
    const request = requestBytes(this.post);
    return {
      measureRun: async () => {
        const end = ends.next();
        const started = performance.now();
        const answer = await connection.send(request);
        if (answer.status !== this.acceptedStatus)
          throw new Error(`A run was not accepted: ${answer.status} ${answer.body}`);
        return (await end) - started;
      },
      close: () => {
        connection.close();
        return ends.close();
      },
    };
  }

  close(): Promise<void> {
    return this.database.end();
  }
}
