import { type JsonObject, newId } from '@app/kernel';
import { AgentAutomation } from '../../packages/sdk/src/index.js';
import type { RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aGroup } from '../support/people.js';
import { Scene } from '../support/scene.js';

const WITHIN = { within: 60_000 };

describe('a file of a run that waits for people', () => {
  let scene: Scene;
  let agent: string;

  beforeAll(async () => {
    scene = await Scene.start();
    await aGroup(scene.stack, 'desk', ['admin@example.com']);
    const file = '${{ request.file }}';
    agent = await scene.stack.client.createAgent({
      name: 'signing',
      input: { type: 'object', required: ['contract'], properties: { contract: { file: {} } } },
      tools: [
        {
          name: 'archive',
          type: 'http',
          base_url: scene.ledger.url,
          operations: [{ name: 'store', method: 'POST', path: '/store', body: 'binary', content: file }],
        },
      ],
      policies: [{ name: 'sign', when: 'true', action: 'require_approval', approval: 'boss' }],
      approvals: { boss: { approvers: ['desk'], timeout: '1h', self_approval: true } },
      steps: [
        { id: 'ask', ask: { title: 'More?', to: ['desk'], form: { properties: { more: { file: {} } } } } },
        { id: 'store', tool: 'archive.store', with: { file: '${{ input.contract }}' } },
        { id: 'result', output: { more: '${{ steps.ask.output }}' } },
      ],
    });
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const call = (method: string, path: string, body?: JsonObject) =>
    scene.stack.client.call<JsonObject>(method, `/v1${path}`, body);
  const upload = async (): Promise<string> => {
    const { adminKey: apiKey, baseUrl } = scene.stack;
    return (await new AgentAutomation({ apiKey, baseUrl }).files.upload(new Blob(['Lease']))).id;
  };
  const start = async (file: string) => (await scene.stack.client.startRun(agent, { contract: { file } })).id;
  const waiting = (run: string, kind: string): Promise<string> =>
    eventually(async () => {
      const { data } = await scene.stack.client.expect<{ data: { id: string; run: string; kind: string }[] }>(
        'GET',
        '/v1/approvals?status=open',
      );
      const open = data.find((each) => each.run === run && each.kind === kind);
      if (!open) throw new Error(`The run waits for no ${kind}.`);
      return `/runs/${run}/approvals/${open.id}`;
    }, WITHIN);
  const ended = (run: string): Promise<RunAnswer> =>
    eventually(async () => {
      const answer = await scene.stack.client.run(run);
      expect(answer.ended_at).not.toBeNull();
      return answer;
    }, WITHIN);
  const answer = async (run: string) =>
    expect((await call('POST', await waiting(run, 'question'), { decision: 'answer', answer: {} })).status).toBe(200);
  const decide = async (run: string, decision: JsonObject) => call('POST', await waiting(run, 'tool_call'), decision);

  it('cannot be deleted, and is sent afterwards; a replay after its deletion sends nothing', async () => {
    const file = await upload();
    const run = await start(file);
    await answer(run);
    await waiting(run, 'tool_call');
    expect(await call('DELETE', `/files/${file}`)).toMatchObject({ status: 409, body: { code: 'file_in_use' } });
    expect((await decide(run, { decision: 'approve' })).status).toBe(200);
    expect(await ended(run)).toMatchObject({ status: 'succeeded' });
    expect(scene.ledger.callsOf('/store')).toMatchObject([{ body: 'Lease' }]);

    expect((await call('DELETE', `/files/${file}`)).status).toBe(204);
    expect((await call('DELETE', `/files/${file}`)).status).toBe(204);
    const replay = async (body: JsonObject) => (await call('POST', `/runs/${run}/replay`, body)).body.id as string;
    const recorded = await replay({ mode: 'test' });
    expect(await ended(recorded)).toMatchObject({ status: 'succeeded' });
    const live = await replay({ mode: 'production', tool_results: 'live' });
    await answer(live);
    expect((await decide(live, { decision: 'approve' })).status).toBe(200);
    expect(await ended(live)).toMatchObject({ status: 'failed', error: { code: 'file_missing', step: 'store' } });
    expect(scene.ledger.callsOf('/store')).toHaveLength(1);
  });

  it('cannot be another one in an answer or an edited request, unless the person may use it', async () => {
    const run = await start(await upload());
    const unknown = { file: newId('file') };
    const refused = (pointer: string) => ({
      status: 422,
      body: { code: 'input_invalid', errors: [{ pointer, detail: expect.any(String) }] },
    });
    const question = await waiting(run, 'question');
    expect(await call('POST', question, { decision: 'answer', answer: { more: unknown } })).toMatchObject(
      refused('/answer/more/file'),
    );
    const own = await upload();
    expect((await call('POST', question, { decision: 'answer', answer: { more: { file: own } } })).status).toBe(200);
    expect(await decide(run, { decision: 'edit', request: { file: unknown } })).toMatchObject(
      refused('/request/file/file'),
    );
    expect((await decide(run, { decision: 'edit', request: { file: { file: own } } })).status).toBe(200);
    expect(await ended(run)).toMatchObject({
      status: 'succeeded',
      output: { more: { more: { file: own, bytes: 5 } } },
    });
  });
});
