import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import { CLIENT, OauthServer } from '../support/oauth-server.js';
import { Scene } from '../support/scene.js';

const KEY = 'sk-live/9+canary key';

/** A worker sends requests to real servers. Expressions in the definition compute the requests. */
describe('computed requests', () => {
  let scene: Scene;
  let provider: OauthServer;
  let mail: MailServer;
  let count = 0;

  beforeAll(async () => {
    [provider, mail] = await Promise.all([OauthServer.start('http://127.0.0.1/callback'), MailServer.start()]);
    scene = await Scene.start();
    await scene.stack.lead('mail', mail.url);
    await scene.stack.client.expect('PUT', '/v1/secrets/KEY', { value: KEY });
    await scene.stack.client.expect('PUT', '/v1/secrets/CLIENT_SECRET', { value: CLIENT.secret });
  });
  beforeEach(() => {
    scene.ledger.reset();
    provider.clear();
  });
  afterAll(async () => {
    await scene.stop();
    await provider.stop();
    await mail.close();
  });

  /** Creates an agent that passes the input fields with these names to the tool. */
  const anAgent = (tool: JsonObject, names: string[], more: JsonObject = {}): Promise<string> =>
    scene.stack.client.createAgent({
      name: `requests-${(count += 1)}`,
      tools: [{ name: 't', ...tool }],
      steps: [
        { id: 'call', tool: tool.type === 'email' ? 't.send' : 't.op', with: argumentsOf(names) },
        { id: 'result', output: '${{ steps.call.output }}' },
      ],
      ...more,
    });
  const argumentsOf = (names: string[]): JsonObject =>
    Object.fromEntries(names.map((name) => [name, `\${{ input.${name} }}`]));
  const http = (operation: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'http',
    base_url: scene.ledger.url,
    operations: [{ name: 'op', method: 'POST', path: '/x', ...operation }],
    ...more,
  });
  const ended = async (agent: string, input: JsonObject = {}) => {
    const { id } = await scene.stack.client.startRun(agent, input);
    return eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(['succeeded', 'failed']).toContain(run.status);
      return run;
    });
  };

  it('are sent as the definition says, and the trace shows only the arguments', async () => {
    scene.ledger.always('/a%2Fb', { status: 409, body: { reason: 'exists' } });
    const agent = await anAgent(
      http({
        path: '/${{ request.folder }}',
        query: { key: '${{ secrets.KEY }}' },
        headers: { 'X-Run': '${{ run.id }}' },
        body: 'form',
        content: { title: '${{ request.title }}', key: '${{ secrets.KEY }}' },
        ok_status: [409],
      }),
      ['folder', 'title'],
    );
    const run = await ended(agent, { folder: 'a/b', title: 'ü' });
    expect(run).toMatchObject({ status: 'succeeded', output: { status: 409, body: { reason: 'exists' } } });
    const [call] = scene.ledger.calls;
    const form = new URLSearchParams({ key: KEY, title: 'ü' }).toString();
    expect(call).toMatchObject({ path: '/a%2Fb', body: form, headers: { 'x-run': run.id } });
    const trace = await scene.stack.client.trace(run.id);
    const step = trace.steps.find(({ type }) => type === 'tool_call');
    expect(step).toMatchObject({ request: { folder: 'a/b', title: 'ü' }, http_status: 409 });
    const shown = JSON.stringify(trace);
    for (const form of [KEY, encodeURIComponent(KEY), 'x-run', 'a%2Fb', scene.ledger.url])
      expect(shown).not.toContain(form);
    const whole = await scene.stack.client.expect<JsonObject>('GET', `/v1/runs/${run.id}/trace/${step?.n}`);
    expect(whole).toMatchObject({
      http: {
        method: call!.method,
        url: expect.stringMatching(/\/a%2Fb\?key=\[redacted\]$/),
        headers: { 'x-run': run.id },
        body: expect.stringContaining('title=%C3%BC'),
      },
      response: { status: 409, body: { reason: 'exists' } },
    });
    for (const form of [KEY, encodeURIComponent(KEY)]) expect(JSON.stringify(whole)).not.toContain(form);
  });

  it('reach only allowed hosts, which policies see', async () => {
    const policies = [{ name: 'no-two', when: 'tool.host == "127.0.0.2:1"', action: 'deny', message: 'Not there.' }];
    const computed = { base_url: '${{ request.base }}', allowed_hosts: ['127.0.0.1', '127.0.0.2'] };
    const agent = await anAgent(http({ method: 'GET' }, computed), ['base'], { policies });
    expect(await ended(agent, { base: scene.ledger.url })).toMatchObject({ status: 'succeeded' });
    const outside = await ended(agent, { base: scene.ledger.url.replace('127.0.0.1', '127.0.0.3') });
    expect(outside).toMatchObject({ status: 'failed', error: { code: 'tool_denied', step: 'call' } });
    const denied = await ended(agent, { base: 'http://127.0.0.2:1' });
    expect(denied).toMatchObject({
      status: 'failed',
      error: { code: 'tool_denied', message: expect.stringContaining('Not there.') },
    });
    expect(await ended(agent, { base: 'http://user@127.0.0.1' })).toMatchObject({ error: { code: 'tool_error' } });
    scene.ledger.always('/x', { status: 302, headers: { location: 'http://127.0.0.3:9/' } });
    expect(await ended(agent, { base: scene.ledger.url })).toMatchObject({ error: { code: 'tool_denied' } });
  });

  it('carry a token that two workers share and renew once, also after the provider revoked it', async () => {
    provider.json('/x', () => ({ ok: true }));
    const auth = {
      type: 'oauth2_client_credentials',
      token_url: `${provider.url}/token`,
      client_id: CLIENT.id,
      client_secret: '${{ secrets.CLIENT_SECRET }}',
      scopes: ['read'],
    };
    const agent = await anAgent(http({}, { base_url: `${provider.url}/api`, auth }), []);
    const runs = () => Promise.all(Array.from({ length: 8 }, () => ended(agent)));
    expect((await runs()).map(({ status }) => status)).toEqual(Array(8).fill('succeeded'));
    expect(provider.grants).toEqual(['client_credentials ok']);
    await provider.expireAccess();
    expect((await runs()).map(({ status }) => status)).toEqual(Array(8).fill('succeeded'));
    expect(provider.grants).toEqual(['client_credentials ok', 'client_credentials ok']);
  });

  it('send mail to computed recipients that the tool allows, and to no other', async () => {
    const tool = { type: 'email', to: '${{ request.to }}', allowed_recipients: ['*@example.com'] };
    const agent = await anAgent(tool, ['to', 'subject', 'text', 'in_reply_to', 'attachments']);
    const message = { subject: 'Hi', text: 'x', in_reply_to: '<1@a>', attachments: [{ text: 'a', filename: 'a.txt' }] };
    expect(await ended(agent, { to: ['ann@example.com'], ...message })).toMatchObject({ status: 'succeeded' });
    expect(mail.mails[0]).toMatchObject({ to: ['ann@example.com'], headers: { references: '<1@a>' } });
    const denied = await ended(agent, { to: ['ann@example.com', 'eve@evil.example'], ...message });
    expect(denied).toMatchObject({ status: 'failed', error: { code: 'tool_denied' } });
    expect(mail.messages).toBe(1);
  });
});
