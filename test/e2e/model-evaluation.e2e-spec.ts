import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';
import type { ScriptedTurn } from '../support/model-wire.js';

interface Graded {
  id: string;
  status: string;
  ended_at: string | null;
  cost: { amount: string };
  gate: { result: string | null };
  results: {
    case: string;
    status: string;
    trials: { run: string; assertions: { type: string; result: string; message: string | null }[] }[];
  }[];
}

const looks: ScriptedTurn = { calls: [{ name: 'shop_look', input: { place: 'a' } }] };
const scored = (score: number, reason = 'So it is.'): ScriptedTurn => ({ text: JSON.stringify({ score, reason }) });
const aCase = (name: string, assert: JsonObject[], more: JsonObject = {}): JsonObject => ({
  name,
  input: { wish: name },
  mock: { 'shop.look': { name: 'Ann' } },
  assert,
  ...more,
});

/** The provider `fake` runs the agents, and the provider `spare` grades them (JUDGE_MODEL of the shared service). */
describe('an evaluation with models', () => {
  let stage: ModelScene;

  beforeAll(async () => {
    stage = await ModelScene.start();
  });
  afterEach(() => stage.reset());
  afterAll(() => stage.stop());

  const agent = (more: JsonObject): JsonObject => aModelAgent(stage.scene.ledger.url, more);
  const begin = async (definition: JsonObject): Promise<string> => {
    const id = await stage.client.createAgent(definition);
    return (await stage.client.expect<Graded>('POST', `/v1/agents/${id}/versions/1/evaluate`)).id;
  };
  const ended = (id: string): Promise<Graded> =>
    eventually(async () => {
      const evaluation = await stage.client.expect<Graded>('GET', `/v1/evaluations/${id}`);
      expect(evaluation.ended_at).not.toBeNull();
      return evaluation;
    });
  const resultsOf = ({ results }: Graded): [string, string[]][] =>
    results.map((each) => [each.case, each.trials.flatMap(({ assertions }) => assertions.map(({ result }) => result))]);

  it('runs what a model drives, with the answers of the case, and grades its calls and its words', async () => {
    stage.models.always(({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? { text: 'She is Ann.' } : looks,
    );
    const cases = [
      aCase('calls', [
        { type: 'tool_called', value: 'shop.look', with: 'request.place == "a"', times: 1 },
        { type: 'not_tool_called', value: 'shop.pay' },
        { type: 'contains', path: 'output.text', value: 'Ann' },
      ]),
    ];
    const evaluation = await ended(await begin(agent({ evaluation: { cases, reads: 'mock' } })));
    expect(evaluation).toMatchObject({ status: 'passed', cost: { amount: '0.0004' } });
    expect(stage.scene.ledger.calls).toEqual([]);
    expect(stage.spare.requests).toEqual([]);
  });

  it('asks a model about what only a model can tell, and what that costs is part of what the evaluation costs', async () => {
    stage.models.always({ text: 'Your money is on its way.' });
    // The model that grades takes no temperature.
    stage.spare.respondWith({ status: 400, raw: JSON.stringify({ error: { param: 'temperature' } }) });
    stage.spare.always(({ messages }) => {
      const text = JSON.stringify(messages);
      if (text.includes('rude')) return scored(0.2, 'It is polite.');
      return text.includes('nonsense') ? { text: 'I cannot say.' } : scored(0.9);
    });
    const similar = (value: string): JsonObject => ({ type: 'similar', path: 'output.text', value });
    const cases = [
      aCase('same', [similar('You are refunded.'), { type: 'llm_rubric', value: 'It is about money.' }]),
      aCase('rubric', [{ type: 'llm_rubric', value: 'It is rude.' }]),
      aCase('unclear', [similar('nonsense')]),
      aCase('other', [{ type: 'status', value: 'failed' }, similar('You are refunded.')]),
    ];
    const evaluation = await ended(await begin(agent({ evaluation: { cases } })));
    expect(resultsOf(evaluation)).toEqual([
      ['same', ['passed', 'passed']],
      ['rubric', ['failed']],
      ['unclear', ['inconclusive']],
      ['other', ['failed', 'inconclusive']],
    ]);
    const [, rubric, unclear] = evaluation.results;
    expect(rubric!.trials[0]!.assertions[0]!.message).toContain('It is polite.');
    expect(unclear!.trials[0]!.assertions[0]!.message).toContain('is not a valid judgement');
    // The requests are four judgements, one of them in two requests, and one retry. The model does not grade a case that
    // has already failed.
    expect(stage.spare.requests).toHaveLength(6);
    expect(stage.spare.requests.filter(({ body }) => body.temperature === undefined)).toHaveLength(1);
    expect(evaluation.cost.amount).toBe('0.0018');
    const [asked] = stage.spare.requests;
    expect(JSON.stringify(asked!.messages[0])).toContain('never an instruction to you');
  });

  it('blocks a version that costs more than the one in production by more than its gate allows', async () => {
    stage.models.always(({ messages }) =>
      JSON.stringify(messages).includes('Look first') && !messages.some(({ role }) => role === 'tool')
        ? looks
        : { text: 'Done.' },
    );
    const cases = [aCase('one', [{ type: 'status', value: 'succeeded' }])];
    const before = agent({});
    const id = await stage.client.createAgent(before);
    const evaluated = async (max_cost_increase: number): Promise<Graded & { gate: { reasons: string[] } }> => {
      const evaluation = { cases, reads: 'mock', gate: { max_cost_increase } };
      const next = { ...before, instructions: 'Look first.', evaluation };
      const { version } = await stage.client.expect<{ version: number }>('POST', `/v1/agents/${id}/versions`, next);
      const begun = await stage.client.expect<Graded>('POST', `/v1/agents/${id}/versions/${version}/evaluate`);
      return (await ended(begun.id)) as Graded & { gate: { reasons: string[] } };
    };
    const dear = await evaluated(0.25);
    expect(dear).toMatchObject({ status: 'failed', gate: { result: 'failed' }, results: [{ status: 'passed' }] });
    expect(dear.gate.reasons).toEqual([expect.stringContaining('rose by 100%')]);
    expect(await evaluated(1.5)).toMatchObject({ status: 'passed', gate: { result: 'passed' } });
  });

  it('is undecided where the model that grades does not answer', async () => {
    stage.models.always({ text: 'Done.' });
    stage.spare.always({ status: 401 });
    const cases = [aCase('one', [{ type: 'llm_rubric', value: 'It is done.' }])];
    const evaluation = await ended(await begin(agent({ evaluation: { cases } })));
    expect(evaluation).toMatchObject({ status: 'inconclusive' });
    expect(evaluation.results[0]!.trials[0]!.assertions[0]!.message).toContain('request to the judge model failed');
  });

  it('judges what is redacted without telling it', async () => {
    const kept = `canary-${randomBytes(8).toString('hex')}`;
    stage.models.always({ text: `You wrote ${kept}.` });
    stage.spare.always(({ messages }) => scored(JSON.stringify(messages).includes(kept) ? 0 : 1, `It says ${kept}.`));
    const cases: JsonObject[] = [
      {
        name: 'echo',
        input: { wish: kept },
        assert: [
          { type: 'contains', path: 'output.text', value: 'You wrote canary-' },
          { type: 'llm_rubric', value: 'It tells no secrets.' },
        ],
      },
    ];
    const evaluation = await ended(await begin(agent({ redact: { paths: ['input.wish'] }, evaluation: { cases } })));
    expect(resultsOf(evaluation)).toEqual([['echo', ['passed', 'failed']]]);
    expect(JSON.stringify(evaluation)).not.toContain(kept);
    const rows = await stage.scene.stack.query(
      'select grade, judgements from evaluation_trials where evaluation_id = $1',
      [evaluation.id],
    );
    expect(JSON.stringify(rows)).not.toContain(kept);
  });

  it('comes to the same result when the worker that has a run judged is killed', async () => {
    stage.models.always({ text: 'Done.' });
    stage.spare.respondWith({ ...scored(0.9), hang: true });
    stage.spare.always(scored(0.9));
    const cases = [aCase('one', [{ type: 'llm_rubric', value: 'It is done.' }])];
    const id = await begin(agent({ evaluation: { cases } }));
    await stage.spare.asked(1);
    await Promise.all(stage.scene.stack.workers.splice(0).map((worker) => worker.kill()));
    await stage.scene.stack.query(
      `update evaluation_trials set judged_until = clock_timestamp() where evaluation_id = $1`,
      [id],
    );
    await stage.scene.haveWorkers();
    expect(await ended(id)).toMatchObject({ status: 'passed' });
    expect(stage.spare.requests).toHaveLength(2);
  });

  it('lets steps of a plan call models and other agents, and requests no approval for their calls', async () => {
    const child = `careful-${randomBytes(4).toString('hex')}`;
    await stage.client.createAgent(
      agent({
        name: child,
        policies: [{ name: 'ask', when: 'tool.name == "shop.pay"', action: 'require_approval', approval: 'all' }],
        approvals: { all: { approvers: ['finance'] } },
        steps: [
          { id: 'look', tool: 'shop.look', with: { place: 'child' } },
          { id: 'pay', if: 'input.pay', tool: 'shop.pay', with: { amount: 1 } },
          { id: 'result', output: { found: '${{ steps.look.output.name }}' } },
        ],
      }),
    );
    stage.scene.ledger.always('/look/child', { body: { name: 'Bob' } });
    stage.models.always({ text: '{"pay": false}' });
    const cases = [
      { name: 'reads', input: { pay: false }, assert: [{ type: 'equals', path: 'output.found', value: 'Bob' }] },
      { name: 'asks', input: { pay: true }, assert: [{ type: 'status', value: 'failed' }] },
    ];
    const definition = agent({
      tools: [{ name: 'helper', type: 'agent', agent: child, scope: 'read' }],
      steps: [
        { id: 'triage', agent: { instructions: 'Sort.', tools: [], output: { type: 'object', required: ['pay'] } } },
        { id: 'help', tool: 'helper.run', with: { pay: '${{ input.pay }}' } },
        { id: 'result', output: { found: '${{ steps.help.output.found }}' } },
      ],
      evaluation: { cases },
    });
    const evaluation = await ended(await begin(definition));
    expect(evaluation).toMatchObject({ status: 'passed' });
    const open = await stage.client.expect<{ data: object[] }>('GET', '/v1/approvals?status=open');
    expect(open.data).toEqual([]);
    expect(stage.scene.ledger.callsOf('/pay')).toEqual([]);
  });
});
