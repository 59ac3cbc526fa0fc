import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { errorCode } from './postgres/error-code.js';
import { identify, isAlive, type ProcessIdentity } from './process-identity.js';
import { StartRefused } from './start-refused.js';

/** What `DATA_DIR/standalone.json` tells about the start that uses the directory; other commands find the database by it. */
interface InstanceFacts {
  owner: ProcessIdentity;
  address: string;
  database_url?: string;
  /** Name of the key that it seals with (`keyNameOf`). */
  encryption_key?: string;
  services: (ProcessIdentity & { name: string })[];
}

const ORPHANS_STOP_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

/**
 * Keeps two starts off one data directory. The file is made exclusively, so of two starts one wins; a file whose process is gone is
 * taken over. It holds the database's password and is readable by its owner only.
 */
export class InstanceRecord {
  private last: Promise<void> = Promise.resolve();
  private released = false;

  private constructor(
    private readonly file: string,
    private facts: InstanceFacts,
  ) {}

  /**
   * Takes the directory. Rejects with {@link StartRefused} that says who has it. Services that an earlier, killed start left behind
   * are stopped first, because they hold the port and the old database connection.
   */
  static async take(dataDir: string, address: string, log: (line: string) => void): Promise<InstanceRecord> {
    const file = join(dataDir, 'standalone.json');
    const owner = await identify(process.pid);
    if (owner === undefined) throw new StartRefused('This system does not tell when a process started.');
    const record = new InstanceRecord(file, { owner, address, services: [] });
    while (!(await record.make())) {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const before = parseFacts(text);
      if (before !== undefined && (await isAlive(before.owner))) {
        throw new StartRefused(
          `The service already runs on ${dataDir}: process ${before.owner.pid}, ${before.address}. ` +
            'Stop it first, or choose another DATA_DIR and PORT.',
        );
      }
      if (await record.putAside(text)) await stopOrphans(before?.services ?? [], log);
    }
    return record;
  }

  /** Adds what became known; kept for the next start and for other commands. Changes are written one after another. */
  async update(
    facts: Partial<Pick<InstanceFacts, 'address' | 'database_url' | 'encryption_key' | 'services'>>,
  ): Promise<void> {
    this.facts = { ...this.facts, ...facts };
    await this.inOrder(async () => {
      const fresh = `${this.file}.new`;
      await writeFile(fresh, this.text(), { mode: 0o600 });
      await rename(fresh, this.file);
    });
  }

  /** Gives the directory back; later updates do nothing. */
  async release(): Promise<void> {
    await this.inOrder(() => rm(this.file, { force: true }));
    this.released = true;
  }

  private inOrder(change: () => Promise<void>): Promise<void> {
    this.last = this.last.catch(() => undefined).then(() => (this.released ? undefined : change()));
    return this.last;
  }

  private text(): string {
    return `${JSON.stringify(this.facts, undefined, 2)}\n`;
  }

  /** Written aside and linked into place: nobody ever reads half a file, and the link fails where one exists. */
  private async make(): Promise<boolean> {
    const fresh = `${this.file}.${randomUUID()}`;
    await writeFile(fresh, this.text(), { mode: 0o600 });
    try {
      await link(fresh, this.file);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(fresh, { force: true });
    }
  }

  /** Of two starts that find the same stale file one removes it; a newer file that got in between is put back. */
  private async putAside(stale: string): Promise<boolean> {
    const aside = `${this.file}.${randomUUID()}`;
    try {
      await rename(this.file, aside);
      if ((await readFile(aside, 'utf8')) === stale) return true;
      await link(aside, this.file);
      return false;
    } catch {
      return false;
    } finally {
      await rm(aside, { force: true });
    }
  }
}

/** Connection string of the database of the start that runs on the directory now, or `undefined`. */
export async function databaseOfRunningStart(dataDir: string): Promise<string | undefined> {
  const facts = parseFacts(await readFile(join(dataDir, 'standalone.json'), 'utf8').catch(() => ''));
  return facts !== undefined && (await isAlive(facts.owner)) ? facts.database_url : undefined;
}

/** Name of the key that the start on the directory seals with (`keyNameOf`), or `undefined` where none runs or it is older than that. */
export async function keyOfRunningStart(dataDir: string): Promise<string | undefined> {
  const facts = parseFacts(await readFile(join(dataDir, 'standalone.json'), 'utf8').catch(() => ''));
  return facts !== undefined && (await isAlive(facts.owner)) ? facts.encryption_key : undefined;
}

function parseFacts(text: string): InstanceFacts | undefined {
  try {
    return JSON.parse(text) as InstanceFacts;
  } catch {
    return undefined;
  }
}

async function stopOrphans(services: InstanceFacts['services'], log: (line: string) => void): Promise<void> {
  for (const service of services) {
    if (!(await isAlive(service))) continue;
    log(`stopping ${service.name} (process ${service.pid}) of an earlier start`);
    process.kill(service.pid, 'SIGTERM');
    const deadline = Date.now() + ORPHANS_STOP_WITHIN_MS;
    while ((await isAlive(service)) && Date.now() < deadline) await pause(LOOK_EVERY_MS);
    if (await isAlive(service)) process.kill(service.pid, 'SIGKILL');
  }
}
