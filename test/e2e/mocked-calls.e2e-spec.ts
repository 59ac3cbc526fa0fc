import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

let agents = 0;

/** An evaluation case can list the responses to successive calls of an operation, so that no call is made. */
describe('the mocked calls of a case', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const read = (id: string, more: JsonObject = {}): JsonObject => ({
    id,
    tool: 'tool.read',
    with: { place: id },
    ...more,
  });
  const plan = (steps: JsonObject[], mocks: JsonObject, condition: string): JsonObject => ({
    ...aToolAgent(`mocked-${++agents}`, scene.ledger.url, []),
    steps,
    evaluation: {
      cases: [{ name: 'one', input: {}, ...mocks, assert: [{ type: 'cel', value: condition }] }],
      gate: {},
    },
  });
  const evaluated = async (definition: JsonObject) => {
    const agent = await scene.stack.client.createAgent(definition);
    const path = `/v1/agents/${agent}/versions/1/evaluate`;
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', path);
    return eventually(async () => {
      const evaluation = await scene.stack.client.expect<{ ended_at: string | null; status: string }>(
        'GET',
        `/v1/evaluations/${id}`,
      );
      expect(evaluation.ended_at).not.toBeNull();
      return evaluation;
    });
  };

  it('are answered in the order of the plan, the last answer repeats, and nothing is sent', async () => {
    const pause: JsonObject = { id: 'pause', wait: { for: '10ms' } };
    const steps = [
      read('one'),
      read('two'),
      pause,
      read('three'),
      read('four'),
      {
        id: 'result',
        output: { all: ['one', 'two', 'three', 'four'].map((id) => `\${{ steps.${id}.output.n }}`) },
      },
    ];
    const mocks = { mock_each: { 'tool.read': [{ output: { n: 1 } }, { output: { n: 2 } }, { output: { n: 3 } }] } };
    const { status } = await evaluated(plan(steps, mocks, 'output.all == [1.0, 2.0, 3.0, 3.0]'));
    expect(status).toBe('passed');
    expect(scene.ledger.calls).toEqual([]);
  });

  it('may fail with a status and a body, which the plan reads', async () => {
    const write: JsonObject = { id: 'made', tool: 'tool.write', with: { place: 'made' }, continue_on_error: true };
    const steps = [
      write,
      read('gone', { continue_on_error: true }),
      { id: 'result', output: { made: '${{ steps.made.error }}', gone: '${{ steps.gone.error }}' } },
    ];
    const mock_each = {
      'tool.write': [{ error: { code: 'tool_error', status: 409, body: { reason: 'exists' } } }],
      'tool.read': [{ error: { code: 'timeout' } }],
    };
    const condition =
      'output.made.code == "tool_error" && output.made.status == 409.0 && output.made.body.reason == "exists" && ' +
      'output.gone.code == "timeout" && output.gone.status == null && output.gone.body == null';
    expect((await evaluated(plan(steps, { mock_each }, condition))).status).toBe('passed');
    expect(scene.ledger.calls).toEqual([]);
  });

  it.each<[what: string, mocks: JsonObject, pointer: string]>([
    ['an unknown operation', { mock_each: { 'tool.rad': [{ output: 1 }] } }, '/mock_each/tool.rad'],
    ['an operation with `mock`', { mock: { 'tool.read': 1 }, mock_each: { 'tool.read': [{ output: 1 }] } }, '/mock_each/tool.read'],
    ['an unknown code', { mock_each: { 'tool.read': [{ error: { code: 'oops' } }] } }, '/mock_each/tool.read/0/error/code'],
    ['no answer', { mock_each: { 'tool.read': [] } }, '/mock_each/tool.read'],
    ['both an output and an error', { mock_each: { 'tool.read': [{ output: 1, error: { code: 'timeout' } }] } }, '/mock_each/tool.read/0'],
    ['neither an output nor an error', { mock_each: { 'tool.read': [{}] } }, '/mock_each/tool.read/0'],
  ])('are refused for %s', async (_what, mocks, pointer) => {
    const definition = plan([read('one')], mocks, 'true');
    const answer = await scene.stack.client.call<{ errors: { pointer: string }[] }>('POST', '/v1/agents', definition);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error) => error.pointer)).toEqual([`/evaluation/cases/0${pointer}`]);
  }); // prettier-ignore
});
