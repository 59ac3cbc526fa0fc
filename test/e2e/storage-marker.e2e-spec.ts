import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChaosProxy } from '../faults/chaos-proxy.js';
import { startApi } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { Program } from '../support/program.js';
import { S3Server } from '../support/s3-server.js';
import { stackEnvironment } from '../support/stack.js';
import { newWorkspace } from '../support/new-workspace.js';

const folders: string[] = [];
const aFolder = (): string => {
  const path = join(tmpdir(), `aas-marker-${randomBytes(6).toString('hex')}`);
  folders.push(path);
  return path;
};

async function missingOf(url: string): Promise<{ part: string }[]> {
  const response = await fetch(`${url}/readyz`);
  return response.ok ? [] : ((await response.json()) as { missing: { part: string }[] }).missing;
}

type Expect = (parts: string[]) => Promise<void>;

/** Starts an api, which lacks these parts. An api uses a good result for seconds. No test has a worker at that time. */
async function withApi(
  databaseUrl: string,
  env: Record<string, string>,
  parts: string[],
  then: (expectMissing: Expect) => Promise<void> = async () => undefined,
): Promise<void> {
  const api = await startApi({ databaseUrl, env });
  const missing = async () => (await missingOf(api.url)).map(({ part }) => part);
  try {
    expect(await missing()).toEqual(parts);
    await then((others) => eventually(async () => expect(await missing()).toEqual(others)));
  } finally {
    await api.close();
  }
}

describe('the storage of an installation', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await newWorkspace(database.url);
  });
  afterAll(async () => {
    await database.drop();
    await Promise.all(folders.map((path) => rm(path, { recursive: true, force: true })));
  });

  it('is marked by the first api, and every process needs the same one', async () => {
    const [shared, other] = [aFolder(), aFolder()];
    const marker = join(shared, 'files', 'installation');
    await withApi(database.url, { DATA_DIR: shared }, ['worker'], async (expectMissing) => {
      const id = await readFile(marker, 'utf8');
      // An api never marks a storage again: the folder may be one that is not mounted.
      await rm(marker);
      await expectMissing(['files']);
      await writeFile(marker, 'of another installation');
      await expectMissing(['files']);
      await writeFile(marker, id);
      await expectMissing(['worker']);
    });
    await withApi(database.url, { DATA_DIR: other }, ['files']);
    await withApi(database.url, { DATA_DIR: shared }, ['worker']);
  });

  it('is marked in the end if the database goes away while the first api marks it', async () => {
    const fresh = await createTestDatabase();
    const network = await ChaosProxy.open(fresh.url);
    const statement = 'update file_storage set marked_at = clock_timestamp()';
    const marking = network.trap({ statement, application: 'api', withhold: 'request' });
    const api = await startApi({ databaseUrl: network.url, env: { DATA_DIR: aFolder() } });
    try {
      void missingOf(api.url);
      await marking.sprung;
      marking.cut();
      await eventually(async () => expect(await missingOf(api.url)).toMatchObject([{ part: 'worker' }]));
    } finally {
      await api.close();
      await network.close();
      await fresh.drop();
    }
  });

  it('may be a bucket, and is not the one of another installation', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' });
    const s3 = await S3Server.start();
    const [mine, theirs] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    try {
      await withApi(mine.url, s3.env, ['worker'], async () => expect(s3.markers.size).toBe(1));
      await withApi(theirs.url, s3.env, ['files']);
    } finally {
      await Promise.all([mine.drop(), theirs.drop(), s3.close()]);
      process.env = before;
    }
  });

  it('lets no worker begin that does not see it', async () => {
    const fleet = await createTestDatabase();
    await newWorkspace(fleet.url);
    const environment = { ...stackEnvironment(fleet.url), DATA_DIR: aFolder() };
    const [port, probes] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const api = Program.start({ name: 'api', app: 'api', environment: { ...environment, PORT: String(port) } });
    const elsewhere = { ...environment, DATA_DIR: aFolder(), WORKER_PORT: String(probes) };
    const lost = Program.start({ name: 'worker', app: 'worker', environment: elsewhere });
    try {
      await api.until(async () => (await missingOf(url)).some(({ part }) => part === 'files'), 'the worker that waits');
      expect(await missingOf(`http://127.0.0.1:${probes}`)).toMatchObject([{ part: 'files' }]);
      expect((await fetch(`http://127.0.0.1:${probes}/healthz`)).status).toBe(200);
      const good = Program.start({ name: 'worker', app: 'worker', environment });
      await api.until(async () => (await fetch(`${url}/readyz`)).ok, 'a 200 of /readyz');
      await good.stop();
    } finally {
      await Promise.all([api.stop(), lost.kill()]);
      await fleet.drop();
    }
  });
});
