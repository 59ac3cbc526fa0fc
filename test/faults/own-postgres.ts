import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';

/** A PostgreSQL server for one scenario. Every commit waits for the disk, so that SIGKILL is a realistic crash. */
export class OwnPostgres {
  private constructor(
    private readonly folder: string,
    private server: EmbeddedPostgres,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const place = process.env.TEST_POSTGRES_DIRECTORY;
    if (!place) throw new Error('There is no place for PostgreSQL: jest has to run the global setup of test/support.');
    const folder = await mkdtemp(join(place, 'own-'));
    // If the test runs as root, the server runs as another user, who needs access to the directory.
    await chmod(folder, 0o711);
    const postgres = new OwnPostgres(folder, await bringUp(folder));
    const { migrateTestTemplate } = await import('../support/template.js');
    await migrateTestTemplate(postgres.url);
    return postgres;
  }

  get url(): string {
    return this.server.url;
  }

  /** Sends SIGKILL to the postmaster. Its child processes exit by themselves. */
  async kill(): Promise<void> {
    const [pid] = (await readFile(join(this.folder, 'data', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }

  /**
   * Starts the server after a kill with the same port and data. Resolves when crash recovery has finished and the
   * server accepts connections.
   */
  async restart(): Promise<void> {
    this.server = await bringUp(this.folder);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function bringUp(folder: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
}
