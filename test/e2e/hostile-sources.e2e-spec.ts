import type { Socket } from 'node:net';
import type { JsonObject } from '@app/kernel';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { HostileServer } from '../support/hostile/hostile-server.js';
import { greeting, packet } from '../support/hostile/mysql-bytes.js';
import { atLogin, backend, int32 } from '../support/hostile/postgres-bytes.js';
import { newWorkspace } from '../support/stack.js';
import { SyncScene } from '../support/sync-scene.js';

const PATIENCE = { within: 60_000 };
const AN_AGENT: JsonObject = { name: 'quiet', steps: [{ id: 'done', output: { ok: true } }] };

const sends = (bytes: Buffer) => atLogin((socket) => void socket.write(bytes));

/** Real api and real worker; the servers of the sources are hostile. */
describe('a source whose database server is hostile', () => {
  let scene: SyncScene;
  let base: string;
  let other: ApiClient;
  let agent: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    base = await scene.aBase('hostile');
    const { key } = await newWorkspace(scene.databaseUrl);
    other = new ApiClient(() => scene.stack.baseUrl, key);
    agent = await other.createAgent(AN_AGENT);
  }, 120_000);
  afterAll(() => scene.stop());

  const cases: [string, string, (socket: Socket) => void][] = [
    ['answers the login of postgres with an unknown authentication', 'postgres', sends(backend('R', int32(99)))],
    ['answers the login of postgres with an error without its NUL', 'postgres', sends(backend('E', 'SFATAL'))],
    ['answers the login of postgres with a notice without its NUL', 'postgres', sends(backend('N', 'SNOTICE'))],
    ['greets as mysql with half a packet', 'mysql', (socket) => void socket.write(packet(0, greeting().subarray(4, 20)))],
  ]; // prettier-ignore

  it.each(cases)(
    'that %s fails its sync only',
    async (_, connector, serve) => {
      let asked = (): void => undefined;
      const reached = new Promise<void>((resolve) => (asked = resolve));
      const server = await HostileServer.start((socket) => {
        serve(socket);
        socket.once('data', asked).once('close', asked);
      });
      await fetch(`${scene.stack.baseUrl}/v1/secrets/THEIR_DSN`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ value: `${connector}://ada:right@127.0.0.1:${server.port}/theirs` }),
      });
      const config = { dsn: '${{ secrets.THEIR_DSN }}', query: 'select 1 as id', key_column: 'id' };
      const source = await scene.aSource(base, { connector, config });
      const { id } = await scene.expect<{ id: string }>('POST', `${source}/sync`);
      await reached;

      const run = await other.startRun(agent);
      await eventually(async () => expect(await other.run(run.id)).toMatchObject({ status: 'succeeded' }), PATIENCE);

      const sync = await scene.ended(`${source}/syncs/${id}`);
      expect(sync).toMatchObject({ status: 'failed', error: { code: expect.any(String) } });
      expect(sync.error?.message).toMatch(/protocol|database/i);
      const [worker] = scene.stack.workers;
      expect(worker?.problem()).toBeUndefined();
      const alive = 'select from workers where pid = $1 and lease_until > clock_timestamp()';
      expect(await scene.stack.query(alive, [worker?.pid])).toHaveLength(1);
      await server.stop();
    },
    120_000,
  );
});
