import { type AnyStep, stepFacts, stepValues } from './step-facts.js';

const aStep = (more: object): AnyStep =>
  ({ n: 2, id: 'run_1.2', at: '2026-01-31T08:00:00Z', duration_ms: 1_200, status: 'succeeded', ...more }) as AnyStep;

const factsOf = (step: AnyStep): Record<string, string> => Object.fromEntries(stepFacts(step));

describe('the facts of a step', () => {
  it('are those of its type', () => {
    const call = aStep({
      type: 'tool_call',
      path: 'order',
      tool: 'shop.order',
      effect: 'read',
      try: 2,
      http_status: 200,
    });
    expect(factsOf(call)).toMatchObject({ Path: 'order', Duration: '1.2 s', Try: '2', 'HTTP status': '200' });
    expect(factsOf(call)).not.toHaveProperty('tool');
  });

  it('say what a model call cost, or that it is unknown', () => {
    const usage = { input_tokens: 1_200, output_tokens: null };
    expect(factsOf(aStep({ type: 'model_call', usage, cost: { amount: '0.50', currency: 'EUR' } }))).toMatchObject({
      Tokens: '1,200 in, ? out',
      Cost: '€0.50',
    });
    expect(factsOf(aStep({ type: 'model_call', usage, cost: null })).Cost).toContain('unknown');
  });

  it('say which share of the input was cached, and how much of the output is reasoning', () => {
    const usage = { input_tokens: 1_200, output_tokens: 300, cache_read_tokens: 1_000, reasoning_tokens: 250 };
    expect(factsOf(aStep({ type: 'model_call', usage })).Tokens).toBe('1,200 in (83% cached), 300 out (250 reasoning)');
  });

  it('say in words where a turn is in the plan, and why it ended', () => {
    const turn = aStep({ type: 'model_call', path: 'triage.turn[2]', finish_reason: 'tool-calls' });
    expect(factsOf(turn)).toMatchObject({ Path: 'triage, turn 2', 'Ended with': 'calls requested' });
  });

  it('name the effort, what was left out, and reasoning that was dropped', () => {
    const warnings = [
      { param: 'temperature', reason: 'It was left out.' },
      { param: 'effort', reason: '`low` was sent.' },
    ];
    const step = aStep({ type: 'model_call', effort: 'low', reasoning_dropped: true, warnings });
    const facts = factsOf(step);
    expect(facts).toMatchObject({
      Effort: 'low',
      'Reasoning dropped': 'yes',
      Warnings: 'temperature: It was left out.\neffort: `low` was sent.',
    });
    expect(facts).not.toHaveProperty('warnings');
  });

  it('say how the model saw each file of its input, and why not', () => {
    const files = [
      { file: 'file_1', shown: 'image' },
      { file: 'file_2', shown: 'text', reason: 'too_large' },
      { file: 'file_3', shown: 'no', reason: 'type' },
    ];
    expect(factsOf(aStep({ type: 'model_call', files })).Files).toBe(
      'file_1: as an image\nfile_2: as text (too large)\nfile_3: not shown (the model cannot read the type)',
    );
    expect(factsOf(aStep({ type: 'model_call' }))).not.toHaveProperty('Files');
  });

  it('name the approvers and who decided', () => {
    const approval = aStep({ type: 'approval', approvers: ['finance', 'legal'], decided_by: ['eve@example.com'] });
    expect(factsOf(approval)).toMatchObject({ Approvers: 'finance, legal', 'Decided by': 'eve@example.com' });
  });

  it('include members that the console does not know, and leave out those that are empty', () => {
    expect(factsOf(aStep({ type: 'tool_call', novelty: { a: 1 }, comment: null }))).toMatchObject({
      novelty: '{"a":1}',
    });
    expect(factsOf(aStep({ type: 'tool_call', comment: null }))).not.toHaveProperty('Comment');
  });
});

describe('the values of a step', () => {
  it('are shown as they were sent and received', () => {
    const call = aStep({ type: 'tool_call', request: { id: 7 }, response_summary: '200 application/json' });
    expect(stepValues(call)).toEqual([
      ['Request', { id: 7 }],
      ['Response', '200 application/json'],
    ]);
    expect(stepValues({ ...call, response: { total: 40 } })).toEqual([['Request', { id: 7 }]]);
    expect(stepValues(aStep({ type: 'model_call', summary: 'Done' }))).toEqual([['Answer', 'Done']]);
  });
});
