import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '@app/kernel';
import { addWorkspace } from '../support/added-workspace.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { endlessAnswer, FLUSH, gitAnswers, line, objectId, references } from '../support/hostile/git-bytes.js';
import { HostileServer } from '../support/hostile/hostile-server.js';
import { greeting, packet } from '../support/hostile/mysql-bytes.js';
import { atLogin, backend } from '../support/hostile/postgres-bytes.js';
import { SyncScene } from '../support/sync-scene.js';

/**
 * Time limit in milliseconds for a sync. It is long, because a sync fails only when a server has not responded for a
 * minute.
 */
const SYNC_PATIENCE = 600_000;
const AN_AGENT: JsonObject = { name: 'quiet', steps: [{ id: 'done', output: { ok: true } }] };

const sends = (bytes: Buffer) => atLogin((socket) => void socket.write(bytes));

const HEAD = objectId('commit', Buffer.from('a commit'));
/**
 * Returns a request handler of a git server that advertises a commit. `serve` responds to the request for the pack
 * file.
 */
const packFrom =
  (serve: RequestListener): RequestListener =>
  (request, response) =>
    (request.method === 'GET' ? gitAnswers(references(HEAD), FLUSH) : serve)(request, response);
/**
 * The API and the worker are real. The servers of the sources are hostile. What else such servers send is tested beside
 * the clients, for example in hostile-git.int-spec.ts.
 */
describe('a source whose server is hostile', () => {
  let scene: SyncScene;
  let base: string;
  let other: ApiClient;
  let agent: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    base = await scene.aBase('hostile');
    const { adminKey } = await addWorkspace(scene.stack);
    other = new ApiClient(() => scene.stack.baseUrl, adminKey);
    agent = await other.createAgent(AN_AGENT);
  });
  afterAll(() => scene.stop());

  /**
   * Syncs the source, and returns the error of the failed sync. `reached` resolves when the sync has reached the
   * hostile server. At that time, a run of another workspace must succeed.
   */
  const failureOf = async (
    source: JsonObject,
    reached: Promise<unknown>,
  ): Promise<{ code: string; message: string }> => {
    const path = await scene.aSource(base, source);
    const { id } = await scene.expect<{ id: string }>('POST', `${path}/sync`);
    await reached;

    const run = await other.startRun(agent);
    await eventually(async () => expect(await other.run(run.id)).toMatchObject({ status: 'succeeded' }));

    const sync = await scene.ended(`${path}/syncs/${id}`, SYNC_PATIENCE);
    expect(sync).toMatchObject({ status: 'failed', error: { code: expect.any(String), message: expect.any(String) } });
    return sync.error as { code: string; message: string };
  };
  const expectSameWorker = async (): Promise<void> => {
    const [worker] = scene.stack.workers;
    const alive = 'select from workers where pid = $1 and lease_until > clock_timestamp()';
    expect(await scene.stack.query(alive, [worker?.pid])).toHaveLength(1);
  };

  const databases: [string, string, (socket: Socket) => void][] = [
    ['answers the login of postgres with an error without its NUL', 'postgres', sends(backend('E', 'SFATAL'))],
    ['greets as mysql with half a packet', 'mysql', (socket) => void socket.write(packet(0, greeting().subarray(4, 20)))],
  ]; // prettier-ignore

  it.each(databases)('that %s fails its sync only', async (_, connector, serve) => {
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
    expect((await failureOf({ connector, config }, reached)).message).toMatch(/protocol|database/i);
    await expectSameWorker();
    await server.stop();
  });

  const repositories: [string, RequestListener, string, string][] = [
    ['sends a pack without an end', packFrom(endlessAnswer(line(Buffer.alloc(60_000, 1)))), 'repository_too_large', 'larger than 128 MiB'],
    ['answers nothing', () => undefined, 'repository_unreachable', 'cannot be reached'],
  ]; // prettier-ignore

  it.each(repositories)('of git that %s fails its sync only', async (_, serve, code, text) => {
    const server = createServer(serve).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const config = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/repository` };
    const error = await failureOf({ connector: 'git', config }, once(server, 'request'));
    expect(error).toEqual({ code, message: expect.stringContaining(text) });
    await expectSameWorker();
    server.closeAllConnections();
    server.close();
  });
});
