import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { ApiClient } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { Ledger } from '../../support/ledger.js';
import { Program } from '../../support/program.js';
import { endAll } from '../../support/scene.js';
import { SmallDisk } from '../../support/small-disk.js';
import { aToolAgent } from '../../support/tool-agents.js';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'dist', 'apps', 'standalone', 'src', 'main.js');
const RESERVE_BYTES = 64 * 1024 * 1024;
const PATIENT = { within: 60_000 };

interface Problem {
  detail: string;
  reason?: string;
  missing?: { part: string; problem: string }[];
}

(SmallDisk.isPossible() ? describe : describe.skip)('npm start on a disk that becomes full', () => {
  const ends: (() => Promise<void>)[] = [];
  let disk: SmallDisk;
  let dataDir: string;
  let ledger: Ledger;
  let service: Program;
  let port: number;
  let client: ApiClient;

  const start = async (directory: string, env: Record<string, string> = {}): Promise<Program> => {
    port = await freePort();
    return Program.run({
      name: 'npm start',
      script: MAIN,
      scriptArguments: ['--no-sample'],
      environment: { DATA_DIR: directory, PORT: String(port), HOST: '127.0.0.1', ...env },
    });
  };
  const ready = () => fetch(`http://127.0.0.1:${port}/readyz`);
  const runIs = (id: string, status: string) =>
    eventually(async () => expect((await client.run(id)).status).toBe(status), PATIENT);

  beforeAll(async () => {
    disk = SmallDisk.create(512);
    ends.push(() => Promise.resolve(disk.remove()));
    ledger = await Ledger.start();
    ends.push(() => ledger.close());
    dataDir = join(disk.directory, 'data');
    service = await start(dataDir, { EGRESS_ALLOW: ledger.egressEntry });
    ends.push(() => service.stop());
    await service.until(async () => (await ready()).ok, 'a 200 of /readyz');
    const key = (await readFile(join(dataDir, 'admin.key'), 'utf8')).trim();
    client = new ApiClient(() => `http://127.0.0.1:${port}`, key);
    const reserve = join(dataDir, 'postgres', 'disk-reserve');
    await eventually(async () => expect((await stat(reserve)).size).toBe(RESERVE_BYTES), PATIENT);
    // The reserve file must occupy disk blocks, so it must not be sparse.
    expect((await stat(reserve)).blocks * 512).toBeGreaterThanOrEqual(RESERVE_BYTES);
  });
  afterAll(() => endAll(ends));

  it('rejects runs with the cause, records running calls, serves the emergency stop and recovers by itself', async () => {
    const agent = await client.createAgent(aToolAgent('writer', ledger.url, [['write', '/slow']]));
    ledger.script('/slow', { hang: true });
    const { id } = await client.startRun(agent);
    await ledger.called('/slow');

    await disk.fill();
    const cause = new RegExp(`The disk that holds ${dataDir} is full. Free at least`);
    const unready = await eventually(async () => {
      const answer = await ready();
      expect(answer.status).toBe(503);
      return (await answer.json()) as Problem;
    }, PATIENT);
    expect(unready).toMatchObject({ detail: expect.stringMatching(cause), missing: [{ part: 'database' }] });
    expect(service.log()).toMatch(cause);
    const refused = await client.call<Problem>('POST', `/v1/agents/${agent}/runs`, { input: {} });
    expect(refused).toMatchObject({ status: 503, body: { reason: 'disk_full', detail: expect.stringMatching(cause) } });
    expect(refused.headers.get('retry-after')).not.toBeNull();

    ledger.release('/slow');
    await runIs(id, 'succeeded');
    const stopped = await client.call('POST', '/v1/workspace/emergency-stop', {});
    expect(stopped.status).toBe(200);
    expect((await ready()).status).toBe(503);

    await disk.free();
    await eventually(async () => expect((await ready()).status).toBe(200), PATIENT);
    expect(service.log()).toContain('has space again');
    await client.expect('POST', '/v1/workspace/resume', {});
    await runIs((await client.startRun(agent)).id, 'succeeded');
  });

  it('prevents the start when it is nearly full', async () => {
    const full = SmallDisk.create(96);
    ends.push(() => Promise.resolve(full.remove()));
    const refused = await start(join(full.directory, 'data'));
    await eventually(() => expect(refused.exit).toBe('exit 1'), PATIENT);
    expect(refused.log()).toMatch(
      /The disk that holds \S+ is nearly full: \d+ MiB are free, and the start needs \d+ MiB/,
    );
    expect(refused.log()).toContain('set DATA_DIR to a directory on another disk');
  });
});
