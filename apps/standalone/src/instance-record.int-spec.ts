import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from '../../../test/support/eventually.js';
import { InstanceRecord } from './instance-record.js';
import { OperatorError } from './operator-error.js';
import { identify, isAlive, type ProcessIdentity } from './process-identity.js';

const ADDRESS = 'http://127.0.0.1:3000';

describe('the record of a running installation', () => {
  let dataDir: string;
  let file: string;
  let lines: string[];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'instance-record-'));
    file = join(dataDir, 'standalone.json');
    lines = [];
  });

  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const take = () => InstanceRecord.take(dataDir, ADDRESS, (line) => lines.push(line));

  async function identityOf(pid: number | undefined): Promise<ProcessIdentity> {
    const identity = await identify(pid ?? 0);
    if (identity === undefined) throw new Error(`There is no process ${pid}.`);
    return identity;
  }

  it('refuses a second start on the directory and says who runs there', async () => {
    await take();
    await expect(take()).rejects.toThrow(`process ${process.pid}, ${ADDRESS}`);
  });

  it('refuses a start while a command works on the directory, and names the command', async () => {
    const record = await InstanceRecord.takeFor(dataDir, 'npm run restore', (line) => lines.push(line));
    await expect(take()).rejects.toThrow(/"npm run restore" works on .*: process \d+\. Wait until it has ended/);
    await record.release();
    await take();
  });

  it('lets exactly one of many starts at the same moment win', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, take));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals.every((reason) => reason instanceof OperatorError)).toBe(true);
  });

  it('keeps the password in it from other accounts, and is gone when it was given back', async () => {
    const record = await take();
    await record.update({ database_url: 'postgres://somewhere' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ database_url: 'postgres://somewhere' });
    await Promise.all([record.release(), record.update({ address: 'too late' })]);
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('takes over from a process whose number now belongs to another one', async () => {
    const before = { owner: { pid: process.pid, started: 'long ago' }, address: ADDRESS, services: [] };
    await writeFile(file, JSON.stringify(before));
    await take();
    expect(JSON.parse(await readFile(file, 'utf8')).owner).toEqual(await identityOf(process.pid));
  });

  it('stops the services that a killed start left behind', async () => {
    const orphan = spawn('sleep', ['60']);
    const identity = await identityOf(orphan.pid);
    const owner = { pid: process.pid, started: 'long ago' };
    await writeFile(file, JSON.stringify({ owner, address: ADDRESS, services: [{ ...identity, name: 'api' }] }));
    await take();
    await eventually(async () => expect(await isAlive(identity)).toBe(false));
    expect(lines).toEqual([`stopping api (process ${orphan.pid}) of an earlier start`]);
  });
});
