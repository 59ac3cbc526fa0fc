import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { OperatorError } from './operator-error.js';
import { errorCode } from './postgres/error-code.js';
import { identify, isAlive, type ProcessIdentity } from './process-identity.js';

/** It describes the process that uses the data directory: `npm start` or a command. */
interface InstanceFields {
  owner: ProcessIdentity;
  address: string;
  /** Absent for `npm start`. */
  command?: string;
  database_url?: string;
  encryption_key?: string;
  services: (ProcessIdentity & { name: string })[];
}

const ORPHANS_STOP_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

/**
 * It locks the data directory: a process may use the directory only if it has created the file. A file of a process
 * that has ended is replaced. Only the owner can read the file, because it contains the database password.
 */
export class InstanceRecord {
  private last: Promise<void> = Promise.resolve();
  private released = false;

  private constructor(
    private readonly file: string,
    private facts: InstanceFields,
  ) {}

  /**
   * If an earlier start was killed, stops the services that it has left running, because they use the port and database
   * connections.
   * @throws OperatorError if the directory is in use. The message names the start or the command that uses it.
   */
  static take(dataDir: string, address: string, log: (line: string) => void): Promise<InstanceRecord> {
    return InstanceRecord.takeAs(dataDir, { address }, log);
  }

  static takeFor(dataDir: string, command: string, log: (line: string) => void): Promise<InstanceRecord> {
    return InstanceRecord.takeAs(dataDir, { address: '', command }, log);
  }

  private static async takeAs(
    dataDir: string,
    user: Pick<InstanceFields, 'address' | 'command'>,
    log: (line: string) => void,
  ): Promise<InstanceRecord> {
    const file = join(dataDir, 'standalone.json');
    const owner = await identify(process.pid);
    if (owner === undefined)
      throw new OperatorError(
        'The start time of this process cannot be read, so another start on the same DATA_DIR could not be detected. Install `ps`.',
      );
    const record = new InstanceRecord(file, { owner, ...user, services: [] });
    while (!(await record.make())) {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const before = parseFacts(text);
      if (before !== undefined && (await isAlive(before.owner))) throw new OperatorError(refusal(dataDir, before));
      if (await record.putAside(text)) await stopOrphans(before?.services ?? [], log);
    }
    return record;
  }

  /** Concurrent updates are written one after another. */
  async update(
    fields: Partial<Pick<InstanceFields, 'address' | 'database_url' | 'encryption_key' | 'services'>>,
  ): Promise<void> {
    this.facts = { ...this.facts, ...fields };
    await this.inOrder(async () => {
      const fresh = `${this.file}.new`;
      await writeFile(fresh, this.text(), { mode: 0o600 });
      await rename(fresh, this.file);
    });
  }

  /** Later updates do nothing. */
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

  /**
   * Writes a temporary file and links it, so that no reader sees an incomplete file. Returns false if the file already
   * exists.
   */
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

  /** If another start has replaced it meanwhile, restores the new file and returns false. */
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

export async function databaseOfRunningStart(dataDir: string): Promise<string | undefined> {
  const facts = parseFacts(await readFile(join(dataDir, 'standalone.json'), 'utf8').catch(() => ''));
  return facts !== undefined && (await isAlive(facts.owner)) ? facts.database_url : undefined;
}

export async function addressOfRunningStart(dataDir: string): Promise<string | undefined> {
  const facts = parseFacts(await readFile(join(dataDir, 'standalone.json'), 'utf8').catch(() => ''));
  return facts !== undefined && (await isAlive(facts.owner)) ? facts.address || undefined : undefined;
}

export async function keyOfRunningStart(dataDir: string): Promise<string | undefined> {
  const facts = parseFacts(await readFile(join(dataDir, 'standalone.json'), 'utf8').catch(() => ''));
  return facts !== undefined && (await isAlive(facts.owner)) ? facts.encryption_key : undefined;
}

function refusal(dataDir: string, { owner, address, command }: InstanceFields): string {
  return command === undefined
    ? `The service already runs on ${dataDir}: process ${owner.pid}, ${address}. Stop it first, or choose another DATA_DIR and PORT.`
    : `"${command}" works on ${dataDir}: process ${owner.pid}. Wait until it has ended, or choose another DATA_DIR.`;
}

function parseFacts(text: string): InstanceFields | undefined {
  try {
    return JSON.parse(text) as InstanceFields;
  } catch {
    return undefined;
  }
}

async function stopOrphans(services: InstanceFields['services'], log: (line: string) => void): Promise<void> {
  for (const service of services) {
    if (!(await isAlive(service))) continue;
    log(`stopping ${service.name} (process ${service.pid}) of an earlier start`);
    process.kill(service.pid, 'SIGTERM');
    const deadline = Date.now() + ORPHANS_STOP_WITHIN_MS;
    while ((await isAlive(service)) && Date.now() < deadline) await pause(LOOK_EVERY_MS);
    if (await isAlive(service)) process.kill(service.pid, 'SIGKILL');
  }
}
