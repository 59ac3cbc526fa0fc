import { compileCondition, compileDefinition, compileExpression, parseDefinition } from '@app/definition';

import type { Bench, CeilingScenario } from './bench.js';
import { quantile } from './figures.js';

const SIZE = 64 * 1024;
const EVALUATIONS = 20_000;

const SCOPE = { names: new Set(['input', 'tool', 'request', 'steps']) };
const VALUES = {
  input: { from: 'ann@example.com', vendor: 'acme', tags: ['a', 'b', 'c'] },
  tool: { name: 'shop.refund', scope: 'write' },
  request: { amount: 150.5, to: 'ann@example.com', lines: Array.from({ length: 20 }, (_, n) => ({ sum: n })) },
  steps: { order: { output: { total: 900, status: 'paid' } } },
};
const POLICY = 'tool.name == "shop.refund" && request.amount > 100.0 && request.to == input.from';
const LOOP = 'request.lines.filter(line, line.sum > 10.0).map(line, line.sum * 2.0)';

/**
 * Measures how long the service takes to validate and compile definitions, and to evaluate their expressions. API
 * requests and runs wait for this work.
 */
export const definitions: CeilingScenario = {
  name: 'definition',
  run({ figures, repetitions, divisor }: Bench): Promise<void> {
    const text = definitionOf(SIZE);
    const policy = compileCondition(POLICY, SCOPE);
    const loop = compileExpression(LOOP, SCOPE);
    const measured: readonly [name: string, unit: 'ms' | 'µs', times: number, work: () => unknown][] = [
      ['64 KiB of YAML checked', 'ms', 40, () => accepted(text)],
      ['64 KiB compiled again', 'ms', 40, () => compileDefinition(stored)],
      ['policy of three conditions', 'µs', EVALUATIONS, () => policy.evaluate(VALUES)],
      ['expression over 20 items', 'µs', EVALUATIONS, () => loop.evaluate(VALUES)],
    ];
    const stored = accepted(text);
    for (const [, , times, work] of measured) for (let n = 0; n < times / 4; n++) work();
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const [name, unit, times, work] of measured) {
        const millis = median(Math.max(10, times / divisor), work);
        figures.add('definition', null, name, unit, unit === 'ms' ? millis : millis * 1_000);
      }
    }
    return Promise.resolve();
  },
};

function accepted(text: string) {
  const parsed = parseDefinition(text, 'yaml', { bytes: 256 * 1024, depth: 32, runSteps: 1_000 });
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed.definition;
}

function median(times: number, work: () => unknown): number {
  const millis = Float64Array.from({ length: times }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  }).sort();
  return quantile(millis, 0.5);
}

const LETTER = Array.from(
  { length: 7 },
  (_, line) =>
    `        Dear \${{ input.vendor }}, line ${line} of what a letter says about an invoice that came to us this month.`,
).join('\n');

/**
 * Returns a definition of at most `bytes` bytes. Its plan repeats a group of four steps: a call, computed values, a
 * branch and another call.
 */
function definitionOf(bytes: number): string {
  const head = `name: invoice-router
input: { type: object, required: [id, vendor], properties: { id: { type: string }, vendor: { type: string } } }
tools:
  - name: erp
    type: http
    base_url: https://erp.example
    operations:
      - { name: get, method: GET, path: "/invoices/{id}", request: { type: object, required: [id], properties: { id: { type: string } } } }
      - { name: post, method: POST, path: "/invoices/{id}/post" }
approvals: { ap: { approvers: [accounts-payable], timeout: 48h, on_timeout: fail } }
policies:
  - { name: large, when: 'tool.name == "erp.post" && request.net > 10000.0', action: require_approval, approval: ap }
steps:
`;
  let text = head;
  for (let n = 0; ; n++) {
    const more = `  # Invoice ${n}: what the supplier sent, what it comes to, and when it is due.
  - id: invoice_${n}
    tool: erp.get
    with: { id: "\${{ input.id }}-${n}" }
    retry: { max_attempts: 4, backoff: exponential, initial: 1s, max: 30s }
  - id: sums_${n}
    let:
      net: "\${{ double(steps.invoice_${n}.output.total) - 19.0 }}"
      text: |
${LETTER}
  - id: route_${n}
    switch:
      - when: steps.sums_${n}.output.net > 10000.0
        steps: [{ id: sign_${n}, approval: ap, show: [steps.sums_${n}.output.net] }]
  - id: post_${n}
    tool: erp.post
    with: { id: "\${{ input.id }}", net: "\${{ steps.sums_${n}.output.net }}" }
`;
    if (text.length + more.length > bytes) return text;
    text += more;
  }
}
