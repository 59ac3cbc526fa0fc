import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { type AnsweredRun, McpAssistant, type RawAnswer } from '../support/mcp-assistant.js';
import { aGroup, aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';
import { MAX_WAITS } from '../support/shared-stack.js';
import { aToolAgent } from '../support/tool-agents.js';

const URLS = { elicitation: { url: {} } };
const FORMS = { elicitation: { form: {}, url: {} } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const FORM: JsonObject = {
  type: 'object',
  required: ['size'],
  additionalProperties: false,
  properties: { size: { type: 'string', enum: ['s', 'm', 'l'] }, count: { type: 'integer', minimum: 1 } },
};

/** Tests what assistants may do about people, and what a crash leaves. */
describe('people and the MCP server', () => {
  let scene: Scene;
  let assistant: McpAssistant;
  let stranger: McpAssistant;

  const admin = () => scene.stack.client;
  const assistantWith = (key: string) => new McpAssistant(() => `${scene.stack.baseUrl}/v1/mcp`, key);

  beforeAll(async () => {
    scene = await Scene.start();
    const tim = await aPerson(scene.stack, 'tim@example.com');
    const eve = await aPerson(scene.stack, 'eve@example.com');
    await aGroup(scene.stack, 'leads', ['tim@example.com']);
    assistant = assistantWith(tim.key);
    stranger = assistantWith(eve.key);
    const signed = (name: string, self: boolean): JsonObject => ({
      name,
      description: 'Needs a signature.',
      expose: { mcp: { wait: '5s' } },
      approvals: { sign: { approvers: ['leads'], self_approval: self } },
      steps: [
        { id: 'sign', approval: 'sign' },
        { id: 'result', output: { signed: true } },
      ],
    });
    const asking = (name: string, form: JsonObject): JsonObject => ({
      name,
      description: 'Asks for a size.',
      expose: { mcp: { wait: '5s' } },
      steps: [
        { id: 'size', ask: { to: ['leads'], title: 'Which size?', form } },
        { id: 'result', output: { given: '${{ steps.size.output }}' } },
      ],
    });
    const nested = { type: 'object', properties: { lines: { type: 'array', items: { type: 'string' } } } };
    const slow = aToolAgent('slow', scene.ledger.url, [['idempotent', '/slow']]);
    for (const definition of [
      signed('self-signed', true),
      signed('signed', false),
      asking('asking', FORM),
      asking('listing', nested),
      { ...slow, description: 'Takes long.', expose: { mcp: { wait: '1s' } } },
    ])
      await admin().createAgent(definition);
  });
  afterAll(() => scene.stop());

  const shapeOf = ({ result }: RawAnswer) => result.structuredContent as AnsweredRun;
  const approvalOf = async (run: string) => {
    const { approvals } = await admin().expect<{
      approvals: { id: string; status: string; decisions: JsonObject[] }[];
    }>('GET', `/v1/runs/${run}`);
    return approvals[0]!;
  };
  const pageOf = (approval: string) => `${scene.stack.baseUrl}/console/approvals/${approval}`;
  const onlyRequest = (requests: Record<string, { params: JsonObject }>) => Object.entries(requests)[0]!;

  it('says for whom a run waits, and where they decide', async () => {
    const waiting = await assistant.call('signed');
    const { run, status, console_url } = shapeOf(waiting);
    const { id } = await approvalOf(run);
    expect([status, console_url]).toEqual(['waiting_approval', pageOf(id)]);
    expect(waiting.result.content[1].text).toBe(
      `waits for leads (0 of 1). Not ended. Call get_run with {"run": "${run}", "wait": "50s"}.`,
    );
    expect(shapeOf(await assistant.call('get_run', { run }))).toMatchObject({
      waiting: { for: 'approval', until: expect.any(String) },
    });
    const other = await stranger.call('get_run', { run });
    expect(JSON.parse(other.result.content[0].text)).toMatchObject({ code: 'not_found' });
  });

  it('asks only who may decide, once, by the address of the page', async () => {
    const cannot = await assistant.call('signed', {}, { capabilities: URLS });
    expect(cannot.result.resultType).toBe('complete');
    const asked = await assistant.call('self_signed', {}, { capabilities: URLS });
    expect(asked.result.resultType).toBe('input_required');
    const [key, { params }] = onlyRequest(asked.result.inputRequests);
    const approval = key.split('.')[0]!;
    expect(params).toMatchObject({ mode: 'url', url: pageOf(approval) });
    const { requestState } = asked.result;
    expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toContain('run_');
    const more = { requestState, inputResponses: { [key]: { action: 'accept', content: { decision: 'approve' } } } };
    const again = await assistant.call('self_signed', {}, { capabilities: URLS, more });
    const shape = shapeOf(again);
    expect([again.result.resultType, shape.status]).toEqual(['complete', 'waiting_approval']);
    expect(await approvalOf(shape.run)).toMatchObject({ id: approval, status: 'open', decisions: [] });
    const started = await admin().expect<{ data: unknown[] }>('GET', `/v1/runs?trigger_type=mcp`);
    expect(started.data.length).toBe(3);
    for (const state of ['x', `${requestState.slice(0, -4)}AAAA`])
      expect((await assistant.call('self_signed', {}, { more: { requestState: state } })).error?.code).toBe(-32602);
    expect((await stranger.call('self_signed', {}, { more: { requestState } })).error?.code).toBe(-32602);
    expect((await assistant.call('signed', {}, { more: { requestState } })).error?.code).toBe(-32602);
  });

  it('decides no approval by any message', async () => {
    const { run } = shapeOf(await assistant.call('self_signed'));
    const { id } = await approvalOf(run);
    const capabilities = { ...TASKS, ...FORMS };
    const task = async () => (await assistant.send('tasks/get', { taskId: run }, { capabilities })).result;
    expect(await task()).toMatchObject({
      status: 'input_required',
      pollIntervalMs: 60_000,
      inputRequests: { [`${id}.1`]: expect.anything() },
    });
    const content = { decision: 'approve', approve: true };
    for (const key of [id, `${id}.2`, 'nope', `${id}.1`]) {
      const inputResponses = { [key]: { action: 'accept', content } };
      expect(
        (await assistant.send('tasks/update', { taskId: run, inputResponses }, { capabilities })).error,
      ).toBeUndefined();
    }
    expect(await approvalOf(run)).toMatchObject({ status: 'open', decisions: [] });
    expect(await task()).toMatchObject({ status: 'working', statusMessage: 'waits for leads (0 of 1)' });
    const tools = (await assistant.send('tools/list')).result.tools as { name: string }[];
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'asking',
      'cancel_run',
      'get_run',
      'listing',
      'self_signed',
      'signed',
      'slow',
    ]);
  });

  it('answers a question by a form, with all rules of the question', async () => {
    const asked = await assistant.call('asking', {}, { capabilities: FORMS });
    const [key, { params }] = onlyRequest(asked.result.inputRequests);
    expect(params).toEqual({ mode: 'form', message: 'Which size?', requestedSchema: FORM });
    const { requestState } = asked.result;
    const answer = (content: JsonObject) => ({
      requestState,
      inputResponses: { [key]: { action: 'accept', content } },
    });
    const wrong = await assistant.call('asking', {}, { capabilities: FORMS, more: answer({ size: 'xl' }) });
    expect(wrong.error).toMatchObject({
      code: -32602,
      data: { code: 'input_invalid', errors: [{ pointer: '/size' }] },
    });
    const given = await assistant.call('asking', {}, { capabilities: FORMS, more: answer({ size: 'm', count: 2 }) });
    expect(shapeOf(given)).toMatchObject({ status: 'succeeded', output: { given: { size: 'm', count: 2 } } });
    const { decisions } = await approvalOf(shapeOf(given).run);
    expect(decisions).toMatchObject([{ by: 'tim@example.com', decision: 'answer', via: 'mcp' }]);
  });

  it('answers a question of a task, and stores nothing if the user declines', async () => {
    const capabilities = { ...TASKS, ...FORMS };
    const { result: task } = await assistant.call('asking', {}, { capabilities });
    expect(task).toMatchObject({ resultType: 'task', status: 'input_required' });
    const { taskId } = task;
    const { id } = await approvalOf(taskId);
    const update = (action: string, content?: JsonObject) =>
      assistant.send(
        'tasks/update',
        { taskId, inputResponses: { [id]: { action, ...(content && { content }) } } },
        { capabilities },
      );
    const { result: declined } = await assistant.call('asking', {}, { capabilities });
    const declinedId = (await approvalOf(declined.taskId)).id;
    await assistant.send(
      'tasks/update',
      { taskId: declined.taskId, inputResponses: { [declinedId]: { action: 'decline' } } },
      { capabilities },
    );
    expect((await assistant.send('tasks/get', { taskId: declined.taskId }, { capabilities })).result).toMatchObject({
      status: 'working',
      statusMessage: 'waits for an answer from leads',
    });
    expect(await approvalOf(declined.taskId)).toMatchObject({ status: 'open', decisions: [] });
    expect((await update('accept', { size: 1 })).error).toMatchObject({
      code: -32602,
      data: { code: 'input_invalid' },
    });
    expect((await update('accept', { size: 's' })).error).toBeUndefined();
    await eventually(async () =>
      expect((await assistant.send('tasks/get', { taskId }, { capabilities })).result).toMatchObject({
        status: 'completed',
        result: { structuredContent: { output: { given: { size: 's' } } } },
      }),
    );
    expect((await update('accept', { size: 'l' })).error).toBeUndefined();
  });

  it('sends other forms as an address, and asks nothing of the key of a machine', async () => {
    const asked = await assistant.call('listing', {}, { capabilities: FORMS });
    expect(onlyRequest(asked.result.inputRequests)[1].params.mode).toBe('url');
    const body = { name: 'ci', kind: 'live', role: 'operator', member: 'tim@example.com', automation: true };
    const { key } = await admin().expect<{ key: string }>('POST', '/v1/api-keys', body);
    const machine = await assistantWith(key).call('asking', {}, { capabilities: FORMS });
    expect([machine.result.resultType, shapeOf(machine).status]).toEqual(['complete', 'waiting_approval']);
  });

  it('holds at most as many calls as the operator allows', async () => {
    scene.ledger.always('/slow', { hang: true });
    const { run } = shapeOf(await assistant.call('slow'));
    await scene.ledger.called('/slow');
    const held = Array.from({ length: MAX_WAITS + 1 }, () => assistant.call('get_run', { run, wait: '50s' }));
    expect(shapeOf(await Promise.race(held)).status).toBe('running');
    scene.ledger.release('/slow');
    const statuses = (await Promise.all(held)).map((answer) => shapeOf(answer).status);
    expect(statuses.sort()).toEqual(['running', ...Array<string>(MAX_WAITS).fill('succeeded')]);
  });

  it('loses no task and starts nothing twice when api and worker are killed', async () => {
    scene.ledger.reset();
    scene.ledger.script('/slow', { hang: true });
    const { result: task } = await assistant.call('slow', {}, { capabilities: TASKS });
    const { taskId } = task;
    const held = assistant.call('get_run', { run: taskId, wait: '50s' }).catch(() => undefined);
    await scene.ledger.called('/slow');
    await Promise.all([scene.stack.api, ...scene.stack.workers.splice(0)].map((program) => program.kill()));
    await held;
    scene.ledger.release('/slow');
    await scene.stack.startApi();
    await scene.stack.addWorker();
    await eventually(async () =>
      expect((await assistant.send('tasks/get', { taskId }, { capabilities: TASKS })).result).toMatchObject({
        status: 'completed',
        result: { structuredContent: { run: taskId, error: null, output: { done: true } } },
      }),
    );
    const keys = scene.ledger.callsOf('/slow').map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(1);
  });
});
