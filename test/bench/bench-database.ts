import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrateQueue } from '@app/platform/queue';
import { migrateSchema } from '@app/installation';
import { Pool } from 'pg';

import { startEmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';

const COUNTING = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all' };

/** The Postgres of one bench run with the settings of `npm start`: a commit waits for the disk. */
export class BenchDatabase {
  private constructor(
    private readonly serverUrl: string,
    private readonly end: () => Promise<void>,
  ) {}

  /**
   * `counted`: the server also records the cost of every statement (`pg_stat_statements`), which has a small cost
   * itself.
   */
  static async start(say: (line: string) => void, counted: boolean): Promise<BenchDatabase> {
    // On many systems /tmp is in memory, where a commit costs nothing.
    const directory = await mkdtemp(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'agent-automation-bench-'));
    // As root, the server runs with another account.
    await chmod(directory, 0o711);
    const remove = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 5 });
    try {
      const postgres = await startEmbeddedPostgres({
        dataDir: join(directory, 'postgres'),
        log: say,
        settings: counted ? COUNTING : {},
      });
      return new BenchDatabase(postgres.url, async () => {
        await postgres.stop();
        await remove();
      });
    } catch (error) {
      await remove();
      throw error;
    }
  }

  /** A new migrated database, so that no scenario works on the rows of another. */
  async create(name: string): Promise<string> {
    const url = await this.createEmpty(name);
    await migrateSchema(url);
    await migrateQueue(url);
    return url;
  }

  /** An empty database. */
  async createEmpty(name: string): Promise<string> {
    const admin = this.pool(this.serverUrl);
    await admin.query(`create database ${name}`);
    await admin.end();
    const url = new URL(this.serverUrl);
    url.pathname = `/${name}`;
    return url.href;
  }

  pool(url = this.serverUrl): Pool {
    const pool = new Pool({ connectionString: url, max: 2, application_name: 'bench' });
    // If the bench is interrupted, the server stops under idle sessions.
    pool.on('error', () => undefined);
    return pool;
  }

  stop(): Promise<void> {
    return this.end();
  }
}
