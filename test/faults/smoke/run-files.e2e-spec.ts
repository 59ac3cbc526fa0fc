import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isId, type JsonObject } from '@app/kernel';

import { eventually } from '../../support/eventually.js';
import { FaultScene, RECOVERY } from '../fault-scene.js';
import { preloading } from '../preloading.js';

const BODY = Buffer.alloc(400_000, 7);
const LOCK_OF_WRITE = `select pg_advisory_xact_lock(hashtextextended('files.' || $1, 0))`;

interface LinkRow {
  token_hash: Buffer;
  file_id: string;
  expires_at: Date;
}

/** Sends half of the first response to each operation and then nothing, and all of each later one. */
class HalfServer {
  readonly requests: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<HalfServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const half = new HalfServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', ({ url = '' }, response) => {
      const isFirst = !half.requests.includes(url);
      half.requests.push(url);
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': BODY.length });
      if (isFirst) response.write(BODY.subarray(0, 300_000));
      else response.end(BODY);
    });
    return half;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('files of runs while a worker is killed', () => {
  let scene: FaultScene;
  let half: HalfServer;
  let dataDir: string;
  let agent: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'aas-run-files-'));
    half = await HalfServer.start();
    scene = await FaultScene.start({
      env: preloading('hurry.mjs', { DATA_DIR: dataDir, EGRESS_ALLOW: '127.0.0.0/8' }),
    });
    agent = await scene.stack.client.createAgent(aReceiver(half.url));
  });
  afterAll(async () => {
    await scene.stop();
    await half.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const folder = () => join(dataDir, 'files');
  const stored = async () => (await readdir(folder())).filter((name) => isId('file', name)).sort();
  const ready = async () =>
    (await scene.query<{ id: string }>(`select id from files where status = 'ready' order by id`)).map(({ id }) => id);

  /** Makes all stored bytes a day old, and lets a worker sweep. Afterwards, exactly the files with a row have bytes. */
  async function sweep(): Promise<void> {
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const name of await stored()) await utimes(join(folder(), name), yesterday, yesterday);
    await scene.hourly(async () => expect(await stored()).toEqual(await ready()));
  }

  it.each([
    ['read', 2, 'succeeded'],
    ['idempotent', 2, 'succeeded'],
    ['write', 1, 'waiting_approval'],
  ] as const)('are received again, or in doubt, if it is killed while it receives: %s', (kind, requests, status) =>
    scene.scenario(async () => {
      const before = await ready();
      const worker = await scene.aWorker();
      const { id } = await scene.stack.client.startRun(agent, { kind });
      await eventually(async () => expect(await stored()).toHaveLength(before.length + 1), RECOVERY);
      await worker.kill();
      expect(await ready()).toEqual(before);
      await scene.stack.addWorker();
      expect(await scene.settled([id])).toEqual({ [status]: 1 });
      expect(half.requests.filter((url) => url === `/${kind}`)).toHaveLength(requests);
      await sweep();
      expect(await ready()).toHaveLength(before.length + requests - 1);
    }),
  );

  it.each(['before', 'after'] as const)('are made once if it is killed in `files.create` %s the commit', (moment) =>
    scene.scenario(async () => {
      const before = await ready();
      const lock = scene.network.trap({ statement: LOCK_OF_WRITE, application: 'aas-worker', withhold: 'request' });
      const worker = await scene.aWorker();
      const { id } = await scene.stack.client.startRun(agent, { kind: 'create' });
      await lock.sprung;
      const commit = scene.network.trap({ statement: 'COMMIT', application: 'aas-worker', withhold: 'answer' });
      if (moment === 'after') {
        lock.release();
        await commit.sprung;
      }
      const made = (await ready()).filter((file) => !before.includes(file));
      expect(made).toHaveLength(moment === 'after' ? 1 : 0);
      await worker.kill();
      for (const trap of [lock, commit]) trap.cut();
      await scene.stack.addWorker();
      expect(await scene.settled([id])).toEqual({ succeeded: 1 });
      await sweep();
      const files = (await ready()).filter((file) => !before.includes(file));
      expect(files).toHaveLength(1);
      expect(files).toEqual(expect.arrayContaining(made));
      expect((await scene.stack.client.run(id)).output).toMatchObject({ made: { file: files[0] } });
    }),
  );

  it('have one link if it is killed between `files.link` and its record', () =>
    scene.scenario(async () => {
      const before = await ready();
      const made = scene.network.trap({
        statement: 'file_links.ensure',
        application: 'aas-worker',
        withhold: 'answer',
      });
      const worker = await scene.aWorker();
      const { id } = await scene.stack.client.startRun(agent, { kind: 'link' });
      await made.sprung;
      const links = () => scene.query<LinkRow>('select token_hash, file_id, expires_at from file_links');
      const [first] = await links();
      await worker.kill();
      made.cut();
      await scene.stack.addWorker();
      expect(await scene.settled([id])).toEqual({ succeeded: 1 });
      const [link, ...others] = await links();
      expect([link?.token_hash, others]).toEqual([first?.token_hash, []]);
      expect((await ready()).filter((each) => !before.includes(each))).toEqual([link?.file_id]);
      expect((await scene.stack.client.run(id)).output).toMatchObject({
        made: { file: link?.file_id },
        linked: { url: expect.stringContaining('/files/[redacted]'), expires_at: link?.expires_at.toISOString() },
      });
    }));
});

function aReceiver(url: string): JsonObject {
  const operations: JsonObject[] = [
    { name: 'read', method: 'GET', path: '/read', response: 'file' },
    {
      name: 'idempotent',
      method: 'POST',
      path: '/idempotent',
      response: 'file',
      effect: 'idempotent',
      idempotency: {},
    },
    { name: 'write', method: 'POST', path: '/write', response: 'file' },
  ];
  const received = ['read', 'idempotent', 'write'].map((name) => ({
    when: `input.kind == "${name}"`,
    steps: [{ id: `get_${name}`, tool: `archive.${name}` }],
  }));
  const made = [
    { id: 'made', tool: 'files.create', with: { text: 'made', filename: 'a.txt' } },
    { id: 'linked', if: 'input.kind == "link"', tool: 'files.link', with: { file: '${{ steps.made.output }}' } },
  ];
  const outputOf = (step: string) => `\${{ steps.?${step}.?output.orValue(null) }}`;
  return {
    name: 'receiver',
    tools: [{ name: 'archive', type: 'http', base_url: url, operations }],
    steps: [
      { id: 'by_kind', switch: [...received, { when: 'input.kind in ["create", "link"]', steps: made }] },
      { id: 'result', output: { made: outputOf('made'), linked: outputOf('linked') } },
    ],
  };
}
