import { parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

const BASE = `name: x
input: { type: object, properties: { amount: { type: number } } }
tools:
  - name: shop
    type: http
    base_url: https://shop.example
    operations:
      - { name: refund, method: POST, path: /r, request: { type: object, properties: { amount: { type: number } } } }
approvals: { finance: { approvers: [finance] } }
`;

/** Applies the fixes of all errors and warnings, and returns the part of the text after the base. */
function fixed(rest: string): string {
  const parsed = parseDefinition(BASE + rest, 'yaml', LIMITS);
  const lines = (BASE + rest).split('\n');
  for (const { fix } of parsed.ok ? parsed.warnings : parsed.errors) {
    if (fix === undefined) continue;
    const line = lines[fix.line - 1] ?? '';
    expect(line.slice(fix.column - 1).startsWith(fix.replace)).toBe(true);
    lines[fix.line - 1] = line.slice(0, fix.column - 1) + fix.with + line.slice(fix.column - 1 + fix.replace.length);
  }
  return lines.join('\n').slice(BASE.length);
}

describe('the fix of a mistake', () => {
  it.each([
    ['a key', 'stesp: [{ id: a, output: 1 }]', 'steps: [{ id: a, output: 1 }]'],
    ['a quoted key', 'steps: [{ id: a, "otput": 1 }]', 'steps: [{ id: a, "output": 1 }]'],
    ['a key with a synonym', 'prompt: hi\nmodel: a/b', 'instructions: hi\nmodel: a/b'],
    ['a choice', 'policy_defaults: { read: alow }\nmodel: a/b', 'policy_defaults: { read: allow }\nmodel: a/b'],
    ['an operation', 'steps: [{ id: a, tool: shop.refnud }]', 'steps: [{ id: a, tool: shop.refund }]'],
    ['a tool', "steps: [{ id: a, tool: 'shpo.refund' }]", "steps: [{ id: a, tool: 'shop.refund' }]"],
    ['an approval', 'steps: [{ id: a, approval: finanse }]', 'steps: [{ id: a, approval: finance }]'],
    ['an argument', 'steps: [{ id: a, tool: shop.refund, with: { amunt: 1 } }]', 'steps: [{ id: a, tool: shop.refund, with: { amount: 1 } }]'],
    ['a member of the input', 'steps: [{ id: a, output: "${{ input.amunt }}" }]', 'steps: [{ id: a, output: "${{ input.amount }}" }]'],
    ['a step', 'steps: [{ id: order, let: { a: 1 } }, { id: b, output: "${{ steps.ordr.output.a }}" }]', 'steps: [{ id: order, let: { a: 1 } }, { id: b, output: "${{ steps.order.output.a }}" }]'],
    ['a function', 'steps: [{ id: a, output: "${{ sise(input.amount) }}" }]', 'steps: [{ id: a, output: "${{ size(input.amount) }}" }]'],
    ['a member of a request', `policies: [{ name: p, when: 'tool.name == "shop.refund" && request.amunt > 1.0', action: deny }]\nmodel: a/b`, `policies: [{ name: p, when: 'tool.name == "shop.refund" && request.amount > 1.0', action: deny }]\nmodel: a/b`],
    ['an expression over two lines', 'steps:\n  - id: a\n    if: >-\n      true &&\n      inptu.amount > 1.0\n    output: 1', 'steps:\n  - id: a\n    if: >-\n      true &&\n      input.amount > 1.0\n    output: 1'],
    ['a time zone', 'triggers: [{ id: t, type: schedule, cron: "0 7 * * *", timezone: Europe/Berln }]\nmodel: a/b', 'triggers: [{ id: t, type: schedule, cron: "0 7 * * *", timezone: Europe/Berlin }]\nmodel: a/b'],
  ])('is at the exact place of %s', (_what, wrong, right) => {
    expect(fixed(wrong)).toBe(right);
  }); // prettier-ignore

  it('is missing if the suggestion is not another name', () => {
    const text = 'steps: [{ id: a, tool: shop.refund, with: { amount: "much" } }]';
    expect(fixed(text)).toBe(text);
  });
});
