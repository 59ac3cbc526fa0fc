import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrateQueue } from '@app/platform/queue';
import { migrateSchema } from '@app/installation';
import { Pool } from 'pg';

import { startEmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';

const COUNTING = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all' };

/** The Postgres server of one benchmark run. It has the settings of `npm start`, so every commit waits for the disk. */
export class BenchDatabase {
  private constructor(
    private readonly serverUrl: string,
    private readonly end: () => Promise<void>,
  ) {}

  /**
   * Starts the server. With `counted`, the server also records the cost of every statement with `pg_stat_statements`,
   * which makes it slightly slower. `say` prints a line.
   */
  static async start(say: (line: string) => void, counted: boolean): Promise<BenchDatabase> {
    // On many systems, /tmp is in memory, so a commit there would not wait for a disk. The data is therefore in
    // /var/tmp.
    const directory = await mkdtemp(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'agent-automation-bench-'));
    // If the benchmark runs as root, the server runs as another user, who needs access to the directory.
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

  async create(name: string): Promise<string> {
    const url = await this.createEmpty(name);
    await migrateSchema(url);
    await migrateQueue(url);
    return url;
  }

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
    // If the benchmark is interrupted, the server stops while connections of the pool are idle. Without a listener, the
    // errors of these connections would end the process.
    pool.on('error', () => undefined);
    return pool;
  }

  stop(): Promise<void> {
    return this.end();
  }
}
