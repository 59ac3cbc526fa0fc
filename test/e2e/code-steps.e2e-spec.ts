import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

let agents = 0;

describe('a code step', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  const anAgent = (code: JsonObject, more: JsonObject = {}): JsonObject => ({
    name: `code-${++agents}`,
    steps: [
      { id: 'score', code: { language: 'javascript', ...code } },
      { id: 'result', output: { score: '${{ steps.score.output }}' } },
    ],
    ...more,
  });

  const carriedOut = async (definition: JsonObject, input: JsonObject = {}) => {
    const agent = await scene.stack.client.createAgent(definition);
    const { id } = await scene.stack.client.startRun(agent, input);
    return eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });
  };

  it('returns the result of its function, and shows argument and result in the trace', async () => {
    const source = 'export default ({ rows }) => ({ total: rows.reduce((a, r) => a + r.sum, 0) })';
    const run = await carriedOut(anAgent({ with: { rows: '${{ input.rows }}' }, source }), {
      rows: [{ sum: 1 }, { sum: 2.5 }],
    });
    expect(run).toMatchObject({ status: 'succeeded', output: { score: { total: 3.5 } } });
    const { steps } = await scene.stack.client.trace(run.id);
    expect(steps[1]).toMatchObject({
      type: 'code',
      path: 'score',
      status: 'succeeded',
      request: { rows: [{ sum: 1 }, { sum: 2.5 }] },
      output: { total: 3.5 },
    });
  });

  it.each([
    ['throws', 'export default () => {\n  throw new Error("no rows");\n}', 'code_error', 'line 2 of `source`'],
    ['never settles', '\nexport default () => new Promise(() => {})', 'code_error', 'line 2 of `source`'],
    ['reads the clock', 'export default () => Date.now()', 'code_error', 'line 1 of `source`'],
    ['returns no JSON', 'export default () => 1n', 'code_error', 'line 1 of `source`'],
    ['recurses too deep', 'export default function f() { return 1 + f(); }', 'code_error', 'line 1 of `source`'],
    ['returns a deep value', 'export default () => { let a = 1; for (let i = 0; i < 500; i++) a = [a]; return a; }', 'code_error', 'nested too deep'],
    ['loops', 'export default () => { for (;;); }', 'code_limit', 'limits.time'],
    ['fills the memory', 'export default () => { const a = []; for (;;) a.push(new Array(1000).fill(a.length)); }', 'code_limit', 'limits.memory'],
    ['returns too much', 'export default () => "x".repeat(1100000)', 'code_limit', 'MAX_RECORDED_BYTES'],
  ])('fails if its function %s', async (_what, source, code, message) => {
    const run = await carriedOut(anAgent({ source, limits: { time: source.includes('Array') ? '5s' : '1s' } }));
    expect(run).toMatchObject({ status: 'failed', error: { code, step: 'score' } });
    expect(run.error!.message).toContain(message);
    expect(run.error!.message).toMatch(/[^.]\.$/);
    const { steps } = await scene.stack.client.trace(run.id);
    expect(steps[1]).toMatchObject({ type: 'code', status: 'failed', error: { code } });
    expect(steps.filter(({ type }) => type === 'code')).toHaveLength(1);
  }); // prettier-ignore

  it('may fail without ending the run, and counts for max_steps', async () => {
    const failing = { id: 'no', code: { source: 'export default () => { throw 1 }' }, continue_on_error: true };
    const steps = [failing, { id: 'result', output: { error: '${{ steps.no.error.code }}' } }];
    expect(await carriedOut(anAgent({}, { steps }))).toMatchObject({ output: { error: 'code_error' } });
    const three = [1, 2, 3].map((n) => ({ id: `c${n}`, code: { source: 'export default () => 1' } }));
    const limited = await carriedOut(anAgent({}, { steps: three, limits: { max_steps: 2 } }));
    expect(limited).toMatchObject({ status: 'failed', error: { code: 'step_limit' } });
  });

  it('runs in the rounds of a loop and side by side', async () => {
    const double: JsonObject = {
      id: 'double',
      code: { with: { n: '${{ item }}' }, source: 'export default async ({ n }) => n * 2' },
    };
    const steps: JsonObject[] = [
      { id: 'all', for_each: '${{ [1, 2, 3, 4] }}', max_parallel: 4, steps: [double] },
      { id: 'result', output: { all: '${{ steps.all.output }}' } },
    ];
    expect(await carriedOut(anAgent({}, { steps }))).toMatchObject({
      status: 'succeeded',
      output: { all: [2, 4, 6, 8] },
    });
  });

  it('shows nothing of its result where the definition redacts it', async () => {
    const redact = { paths: ['steps.score.output.key'] };
    const run = await carriedOut(anAgent({ source: 'export default () => ({ key: "4711-4711", n: 1 })' }, { redact }));
    expect(run).toMatchObject({ status: 'succeeded', output: { score: { key: '[redacted]', n: 1 } } });
    expect(JSON.stringify(await scene.stack.client.trace(run.id))).not.toContain('4711-4711');
  });

  it('is refused at creation if its source cannot run', async () => {
    const body = anAgent({ source: 'export default (' });
    const answer = await scene.stack.client.call<{ errors: { pointer: string }[] }>('POST', '/v1/agents', body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ pointer: '/steps/0/code/source' }]);
  });
});
