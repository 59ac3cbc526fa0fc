import { readFileSync } from 'node:fs';
import { type CompiledDefinition, parseDefinition } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { Interpreter } from './interpreter.js';
import type { Ask, Outcome } from './plan.js';

/** Returns the compiled definition under a heading of docs/steps.md. */
function recipe(heading: string): CompiledDefinition {
  const page = readFileSync('docs/steps.md', 'utf8');
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const [, text = ''] = /```yaml\n([^]*?)```/.exec(section) ?? [];
  const parsed = parseDefinition(text, 'yaml', { bytes: text.length, depth: 32, runSteps: 1_000 });
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed.compiled;
}

const done: Outcome = { ok: true, output: null };
const failed = (code: 'tool_error' | 'approval_expired' | 'approval_rejected', tries = 1): Outcome => ({
  ok: false,
  error: { code, message: 'failed', step: null, ...(code === 'tool_error' ? { status: 422 } : {}) },
  tries,
});

/** Executes the recipe. Returns the names of the asks in their order, and the outcome of the run. */
function execute(definition: CompiledDefinition, answer: (ask: Ask) => Outcome, input: JsonObject = {}) {
  const facts = { input, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: definition.name } };
  const interpreter = new Interpreter(definition, facts, new Set());
  const outcomes = new Map<string, Outcome>();
  const asked: string[] = [];
  const together: number[] = [];
  for (;;) {
    const decision = interpreter.next(outcomes);
    if (decision.kind === 'end') return { asked, together, outcome: decision.outcome };
    if (decision.kind === 'pause') continue;
    together.push(decision.asks.length);
    const [ask] = decision.asks;
    if (!ask) throw new Error('The run waits for nothing.');
    asked.push(ask.kind === 'call' ? ask.operation.fullName : ask.path);
    outcomes.set(ask.path, answer(ask));
  }
}

describe('the recipes of docs/steps.md', () => {
  it('compensation: undoes the first write if the second fails', () => {
    const { asked, outcome } = execute(recipe('Compensation (saga)'), ({ path }) =>
      path === 'deposit' ? failed('tool_error') : done,
    );
    expect(asked).toEqual(['bank.open', 'bank.fund', 'bank.close']);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
  });

  it('compensation: undoes nothing if the first write fails', () => {
    const { asked, outcome } = execute(recipe('Compensation (saga)'), () => failed('tool_error'));
    expect(asked).toEqual(['bank.open']);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
  });

  it.each([
    ['asks nobody else after an approval', done, ['first'], 'succeeded'],
    [
      'reminds and asks the next group after an expiry',
      failed('approval_expired'),
      ['first', 'notify.send', 'second'],
      'succeeded',
    ],
    ['ends after a rejection', failed('approval_rejected'), ['first'], 'failed'],
  ])('escalation: %s', (_, first, expected, status) => {
    const { asked, outcome } = execute(recipe('Reminder and escalation'), ({ path }) =>
      path === 'first' ? first : done,
    );
    expect(asked).toEqual(expected);
    expect(outcome.status).toBe(status);
  });

  it('rate limit: calls at most two at the same time', () => {
    const rows = [{ n: 1 }, { n: 2 }, { n: 3 }];
    const definition = recipe('Rate limit of another system');
    const { asked, together, outcome } = execute(definition, () => done, { rows });
    expect(asked).toEqual(['crm.save', 'crm.save', 'crm.save']);
    expect(Math.max(...together)).toBe(2);
    expect(definition.concurrency).toMatchObject({ max: 1 });
    expect(outcome.status).toBe('succeeded');
  });
});
