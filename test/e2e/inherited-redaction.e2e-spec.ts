import type { JsonObject } from '@app/kernel';
import { aGroup, aPerson } from '../support/people.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

const EMAIL = 'ada.lovelace@example.com';

interface ShownRun {
  id: string;
  status: string;
  input: JsonObject;
  output: JsonObject | null;
  approvals: { id: string; show: JsonObject }[];
}

describe('a value that a run redacts and passes to another agent', () => {
  let scene: Scene;
  let approver: ApiClient;
  let count = 0;

  beforeAll(async () => {
    scene = await Scene.start();
    approver = await aPerson(scene.stack, 'bob@example.com');
    await aGroup(scene.stack, 'desk', ['bob@example.com']);
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const shop = () => ({
    name: 'shop',
    type: 'http',
    base_url: scene.ledger.url,
    operations: [{ name: 'work', method: 'POST', path: '/work' }],
  });
  const helper = (agent: string) => ({ name: 'helper', type: 'agent', agent });
  const anAgent = async (definition: JsonObject): Promise<string> => {
    const name = `agent-${++count}`;
    await scene.stack.client.createAgent({ name, ...definition });
    return name;
  };
  const get = <Body>(path: string) => scene.stack.client.expect<Body>('GET', path);
  const shownOf = (id: string) => get<ShownRun>(`/v1/runs/${id}`);
  const onlyChildOf = (id: string) =>
    eventually(async () => {
      const { data } = await get<{ data: ShownRun[] }>(`/v1/runs?parent=${id}`);
      expect(data).toHaveLength(1);
      return data[0]!;
    });
  const reaches = (id: string, status: string) =>
    eventually(async () => expect(await shownOf(id)).toMatchObject({ status }));

  /** Counts the stored rows that contain the value in the open. */
  const rowsWithValue = async (): Promise<JsonObject> => {
    const of = (table: string) =>
      `(select count(*)::integer from ${table} t where strpos(t::text, $1) > 0) as ${table}`;
    const tables = ['runs', 'run_steps', 'approvals', 'events', 'trigger_events', 'run_callbacks'];
    const [row] = await scene.stack.query<JsonObject>(`select ${tables.map(of).join(', ')}`, [EMAIL]);
    return row!;
  };
  const NO_ROWS = { runs: 0, run_steps: 0, approvals: 0, events: 0, trigger_events: 0, run_callbacks: 0 };

  /** An agent without a list of its own that asks about its input, calls the tool with it and returns it. */
  const anAsker = () =>
    anAgent({
      tools: [shop()],
      steps: [
        {
          id: 'sure',
          ask: {
            to: ['desk'],
            title: 'Write to ${{ input.to }}?',
            show: ['input.to', 'input.text'],
            form: { type: 'object', properties: { yes: { type: 'boolean' } } },
          },
        },
        { id: 'work', tool: 'shop.work', with: { to: '${{ input.to }}', plain: '${{ input.plain }}' } },
        { id: 'result', output: { to: '${{ input.to }}', text: '${{ input.text }}' } },
      ],
    });

  it('is redacted in the runs below, in their traces, questions and events, and reaches their tools', async () => {
    scene.ledger.always('/work', { body: { sent_to: EMAIL } });
    const request = { to: '${{ input.to }}', text: '${{ input.text }}', plain: '${{ input.plain }}' };
    const middle = await anAgent({
      tools: [helper(await anAsker())],
      steps: [
        { id: 'help', tool: 'helper.run', with: request },
        { id: 'result', output: '${{ steps.help.output }}' },
      ],
    });
    const parent = await scene.stack.client.createAgent({
      name: `parent-${++count}`,
      redact: { paths: ['input.email'] },
      tools: [helper(middle), shop()],
      steps: [
        {
          id: 'help',
          tool: 'helper.run',
          with: { to: '${{ input.email }}', text: 'Write to ${{ input.email }} soon', plain: 'open' },
        },
        { id: 'after', tool: 'shop.work', with: { back: '${{ steps.help.output.text }}' } },
      ],
    });
    const { id } = await scene.stack.client.startRun(parent, { email: EMAIL });
    const inner = await onlyChildOf(id);
    const asker = await onlyChildOf(inner.id);
    await reaches(asker.id, 'waiting_approval');
    const [asked] = (await shownOf(asker.id)).approvals;
    expect(asked).toMatchObject({ title: 'Write to [redacted]?', show: { 'input.to': '[redacted]' } });
    await approver.expect('POST', `/v1/runs/${asker.id}/approvals/${asked!.id}`, {
      decision: 'answer',
      answer: { yes: true },
    });
    await reaches(id, 'succeeded');
    const shown = { to: '[redacted]', text: 'Write to [redacted] soon' };
    for (const run of [inner, asker]) {
      expect(await shownOf(run.id)).toMatchObject({ input: { ...shown, plain: 'open' }, output: shown });
      expect(JSON.stringify(await get(`/v1/runs/${run.id}/trace`))).not.toContain(EMAIL);
    }
    expect(scene.ledger.callsOf('/work').map(({ body }) => JSON.parse(body))).toEqual([
      { to: EMAIL, plain: 'open' },
      { back: `Write to ${EMAIL} soon` },
    ]);
    expect(await rowsWithValue()).toEqual(NO_ROWS);
    const revealed = await get<ShownRun>(`/v1/runs/${asker.id}?reveal=true`);
    expect(revealed.input).toEqual({ to: EMAIL, text: `Write to ${EMAIL} soon`, plain: 'open' });
  });

  it('is redacted in each run of a loop, if such a run fails, and in replays', async () => {
    scene.ledger.always('/work', { status: 400, body: { why: `no mailbox ${EMAIL}` } });
    const child = await anAgent({
      tools: [shop()],
      steps: [{ id: 'work', tool: 'shop.work', with: { to: '${{ input.customer.email }}' } }],
    });
    const parent = await scene.stack.client.createAgent({
      name: `parent-${++count}`,
      redact: { paths: ['input.customers.*.email'] },
      tools: [helper(child)],
      steps: [
        {
          id: 'each',
          for_each: '${{ input.customers }}',
          steps: [{ id: 'help', tool: 'helper.run', with: { customer: '${{ item }}' } }],
        },
      ],
    });
    const { id } = await scene.stack.client.startRun(parent, { customers: [{ email: EMAIL, n: 1 }] });
    await reaches(id, 'failed');
    const run = await onlyChildOf(id);
    const input = { customer: { email: '[redacted]', n: 1 } };
    expect(await shownOf(run.id)).toMatchObject({ status: 'failed', input });
    const replay = await scene.stack.client.expect<ShownRun>('POST', `/v1/runs/${run.id}/replay`, {
      mode: 'production',
      tool_results: 'live',
    });
    await reaches(replay.id, 'failed');
    expect(await shownOf(replay.id)).toMatchObject({ input });
    expect(scene.ledger.callsOf('/work').map(({ body }) => JSON.parse(body))).toEqual([{ to: EMAIL }, { to: EMAIL }]);
    expect(await rowsWithValue()).toEqual(NO_ROWS);
  });
});
