import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

const MAX_RECORDED_BYTES = 4_096;
/** A short wait, so that the following steps read the results that Postgres has recorded. */
const PAUSE: JsonObject = { id: 'pause', wait: { for: '10ms' } };

let agents = 0;

/** Tests what later steps read about a step that failed, was skipped, or was decided by a person. */
describe('the result of a step', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start({ workers: 0 });
    await scene.stack.addWorker({ MAX_RECORDED_BYTES: String(MAX_RECORDED_BYTES) });
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const read = (id: string, place: string, more: JsonObject = {}): JsonObject => ({
    id,
    tool: 'tool.read',
    with: { place },
    ...more,
  });
  const start = async (steps: JsonObject[], more: JsonObject = {}): Promise<string> => {
    const plan = { ...aToolAgent(`result-${++agents}`, scene.ledger.url, []), steps, ...more };
    return (await scene.stack.client.startRun(await scene.stack.client.createAgent(plan))).id;
  };
  const ended = (id: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });
  const outputOf = async (steps: JsonObject[], more: JsonObject = {}) => (await ended(await start(steps, more))).output;

  const CONTINUE = { continue_on_error: true };
  const ORDER = {
    output: '${{ steps.order.output }}',
    status: '${{ steps.order.status }}',
    error: '${{ steps.order.error }}',
  };

  it('says what the server answered, also after the run was resumed', async () => {
    scene.ledger.always('/order', { status: 409, body: { reason: 'exists', id: 7 } });
    const route: JsonObject = {
      id: 'route',
      switch: [
        {
          when: 'steps.order.status == "failed" && steps.order.error.body.reason == "exists"',
          steps: [{ id: 'known', output: ORDER }],
        },
        { steps: [{ id: 'made', output: 'new' }] },
      ],
    };
    expect(await outputOf([read('order', 'order', CONTINUE), PAUSE, route])).toEqual({
      output: null,
      status: 'failed',
      error: {
        code: 'tool_error',
        message: expect.stringContaining('tool.read responded with HTTP status 409'),
        status: 409,
        body: { reason: 'exists', id: 7 },
      },
    });
  });

  it('has no status and no body where there was no answer', async () => {
    scene.ledger.always('/order', { drop: true });
    const retry = { max_attempts: 1 };
    const output = await outputOf([read('order', 'order', { ...CONTINUE, retry }), { id: 'result', output: ORDER }]);
    expect(output).toMatchObject({ status: 'failed', error: { code: 'tool_error', status: null, body: null } });
  });

  it('never shows a secret or a redacted value of the answer, and truncates a long answer', async () => {
    await scene.stack.client.expect('PUT', '/v1/secrets/TOKEN', { value: 'a-very-secret-token' });
    const long = 'x'.repeat(2 * MAX_RECORDED_BYTES);
    scene.ledger.always('/order', {
      status: 400,
      body: ({ headers }) => ({ sent: headers.authorization ?? '', iban: 'DE001234567' }),
    });
    scene.ledger.always('/long', { status: 500, body: { long } });
    const agent = aToolAgent('', scene.ledger.url, []);
    const [tool] = agent.tools as JsonObject[];
    const more = {
      tools: [{ ...tool, auth: { type: 'bearer', token: '${{ secrets.TOKEN }}' } }],
      redact: { paths: ['tools.tool.read.response.iban'] },
    };
    const isRead = '${{ steps.order.error.body.iban == "DE001234567" }}';
    const result = { order: ORDER, isRead, long: '${{ steps.long.error.body.truncated }}' };
    const steps = [
      read('order', 'order', CONTINUE),
      read('long', 'long', { ...CONTINUE, retry: { max_attempts: 1 } }),
      PAUSE,
      { id: 'result', output: result },
    ];
    const id = await start(steps, more);
    const run = await ended(id);
    expect(run.output).toMatchObject({
      order: { error: { status: 400, body: { sent: 'Bearer [redacted]', iban: '[redacted]' } } },
      isRead: true,
      long: true,
    });
    const stored = await scene.stack.query('select * from run_steps where run_id = $1', [id]);
    for (const text of [run, await scene.stack.client.trace(id), stored].map((each) => JSON.stringify(each))) {
      expect(text).not.toContain('a-very-secret-token');
      expect(text).not.toContain('DE001234567');
    }
  });

  it('is the decision of people, for an approval', async () => {
    const { member } = await scene.stack.client.expect<{ member: string }>('GET', '/v1/me');
    await scene.stack.client.expect('POST', '/v1/groups', { name: 'bosses', members: [member] });
    const approvals = { boss: { approvers: ['bosses'], self_approval: true, on_reject: 'continue' } };
    const steps: JsonObject[] = [
      { id: 'sign', approval: 'boss' },
      { id: 'result', output: { said: '${{ steps.sign.output }}', status: '${{ steps.sign.status }}' } },
    ];
    const id = await start(steps, { approvals });
    const approval = await eventually(async () => {
      const run = await scene.stack.client.expect<{ approvals: { id: string }[] }>('GET', `/v1/runs/${id}`);
      expect(run.approvals).toHaveLength(1);
      return run.approvals[0]!.id;
    });
    const decision = { decision: 'reject', comment: 'Too much.' };
    await scene.stack.client.expect('POST', `/v1/runs/${id}/approvals/${approval}`, decision);
    expect((await ended(id)).output).toEqual({
      said: { decision: 'reject', decided_by: [member], comment: 'Too much.' },
      status: 'succeeded',
    });
  });
});
