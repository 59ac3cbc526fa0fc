import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { deliveriesOf, subscribe } from '../support/webhooks.js';

/**
 * Authors of definitions, sources and webhook endpoints choose the URLs to which the service connects. These URLs must
 * not reach servers of the operator.
 */
describe('a server that the operator has not allowed', () => {
  let scene: Scene;
  let inside: Server;
  let address: string;
  let connections = 0;

  beforeAll(async () => {
    inside = createServer((socket: Socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, notAllowed());
    await once(inside, 'listening');
    address = `${notAllowed()}:${(inside.address() as AddressInfo).port}`;
    scene = await Scene.start();
  });
  afterEach(() => expect(connections).toBe(0));
  afterAll(async () => {
    await scene.stop();
    inside.close();
  });

  const client = () => scene.stack.client;
  const endOf = (agent: string) =>
    client()
      .startRun(agent)
      .then(({ id }) =>
        eventually(async () => {
          const run = await client().run(id);
          expect(run.ended_at).not.toBeNull();
          return run;
        }),
      );

  it.each<[string, (url: string) => JsonObject, string]>([
    ['http', (url) => ({ base_url: url, operations: [{ name: 'get', method: 'GET', path: '/' }] }), 'get'],
    ['openapi', (url) => ({ spec: { url, sha256: '0'.repeat(64) }, include: ['get'] }), 'get'],
    ['mcp', (url) => ({ transport: 'streamable_http', url, include: ['get'] }), 'get'],
  ])('is reached by no tool of the type %s', async (type, tool, operation) => {
    const definition: JsonObject = {
      name: `reaches-${type}`,
      tools: [{ name: 'tool', type, ...tool(`http://${address}/`) }],
      steps: [{ id: 'call', tool: `tool.${operation}`, with: {} }],
    };
    const created = await client().call<{ id: string; code: string }>('POST', '/v1/agents', definition);
    if (created.status === 422) expect(created.body.code).toBe('definition_invalid');
    else expect(await endOf(created.body.id)).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
  });

  it('is not reached over one that is allowed, which sends its callers there', async () => {
    const headers = { location: `http://${address}/` };
    scene.ledger.always('/moved', { status: 307, headers });
    const operations = [{ name: 'get', method: 'GET', path: '/moved' }];
    const agent = await client().createAgent({
      name: 'sent-on',
      tools: [{ name: 'tool', type: 'http', base_url: scene.ledger.url, operations }],
      steps: [{ id: 'call', tool: 'tool.get', continue_on_error: true }],
    });
    expect(await endOf(agent)).toMatchObject({ status: 'succeeded' });
    await syncFails('website', { start_urls: [`${scene.ledger.url}/moved`] });
  });

  const syncFails = async (connector: string, config: JsonObject): Promise<void> => {
    const { id: base } = await client().expect<{ id: string }>('POST', '/v1/knowledge-bases', {
      name: `${connector}-${++bases}`,
    });
    const sources = `/v1/knowledge-bases/${base}/sources`;
    const source = await client().expect<{ id: string }>('POST', sources, { connector, config });
    const { id } = await client().expect<{ id: string }>('POST', `${sources}/${source.id}/sync`);
    await eventually(async () => {
      const sync = await client().expect<JsonObject>('GET', `${sources}/${source.id}/syncs/${id}`);
      expect(sync).toMatchObject({ status: 'failed', progress: { added: 0 } });
    });
  };
  let bases = 0;

  it.each<[string, (address: string) => JsonObject]>([
    ['website', (to) => ({ start_urls: [`http://${to}/`] })],
    ['sitemap', (to) => ({ sitemap_urls: [`http://${to}/sitemap.xml`] })],
    ['git', (to) => ({ url: `http://${to}/repository.git` })],
    ['http_api', (to) => ({ base_url: `http://${to}/`, items_pointer: '', key_pointer: '/id', text_pointer: '/text' })],
    ['postgres', () => ({ dsn: '${{ secrets.POSTGRES }}', query: 'select 1 as id', key_column: 'id' })],
    ['mysql', () => ({ dsn: '${{ secrets.MYSQL }}', query: 'select 1 as id', key_column: 'id' })],
  ])('is read by no source of the connector %s', async (connector, config) => {
    for (const type of ['postgres', 'mysql'])
      await client().expect('PUT', `/v1/secrets/${type.toUpperCase()}`, { value: `${type}://a:b@${address}/x` });
    await syncFails(connector, config(address));
  });

  it('gets no webhook, whatever its address resolved to at creation', async () => {
    const { id } = await subscribe(client(), `${scene.ledger.url}/hook`, { events: ['webhook.test'] });
    await scene.stack.query('update webhook_endpoints set url = $2 where id = $1', [id, `http://${address}/hook`]);
    await client().expect('POST', `/v1/webhook-endpoints/${id}/test`, {});
    await eventually(async () => {
      const [delivery] = await deliveriesOf(client(), id);
      expect(delivery).toMatchObject({ attempts: 1, response_status: null, error: expect.any(String) });
    });
  });
});

/** Returns a private address of this machine that is not in the EGRESS_ALLOW of the shared service. */
function notAllowed(): string {
  // Linux answers at each address of 127.0.0.0/8.
  if (process.platform === 'linux') return '127.0.0.2';
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (!found) throw new Error('This test needs a network interface besides the loopback interface.');
  return found.address;
}
