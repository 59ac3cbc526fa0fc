import type { DefinitionSchema } from './definition-completer.js';
import { completionsAt } from './workspace-completer.js';

const CEL = { type: 'string', contentMediaType: 'text/x-cel' };
const SCHEMA: DefinitionSchema = {
  properties: {
    policies: { type: 'array', items: { properties: { when: CEL, action: { enum: ['allow', 'require_approval'] } } } },
    approvals: { additionalProperties: { properties: { show: { type: 'array', items: CEL } } } },
    // As in the format, the kind of a step decides which members it has.
    steps: { type: 'array', items: { allOf: [{ if: { required: ['let'] }, then: { properties: { if: CEL } } }] } },
  },
};

const NAMES = {
  secrets: ['SHOP_TOKEN'],
  groups: ['finance', 'legal'],
  bases: ['handbook'],
  connections: ['google'],
  agents: ['rss-digest'],
};

const FUNCTIONS = [
  { forms: ['size(x)', 'x.size()'], does: 'length', example: 'size("a")', gives: '1' },
  { forms: ['s.trim()'], does: 'without spaces', example: '" a".trim()', gives: '"a"' },
  { forms: ['l.first()'], does: 'first item', example: '[1].first()', gives: '1' },
  { forms: ['math.ceil(d)'], does: 'rounded up', example: 'math.ceil(1.5)', gives: '2' },
];

const DEFINITION = `name: refunds
input:
  type: object
  properties:
    order: { type: string, description: As on the invoice. }
    customer: { type: object, properties: { email: { type: string } } }
    lines: { type: array, items: { type: object, properties: { price: { type: number } } } }
tools:
  - name: shop
    type: http
    base_url: https://shop.example.com
    auth: { type: bearer, token: "" }
    operations:
      - { name: order, method: GET, path: "/orders/{id}" }
      - { name: refund, method: POST, path: "/orders/{id}/refunds", request: { type: object, properties: { amount: { type: number } } } }
policies:
  - name: large
    when: tool.name == "shop.refund" && request.amount > 100.0
    action: require_approval
    approval: finance-leads
approvals:
  finance-leads: { approvers: [finance], show: [request.id] }
steps:
  - id: sums
    let: { total: 1, note: "\${{ input.order }}" }
  - id: each
    for_each: "\${{ input.lines }}"
    as: line
    steps:
      - { id: inner, let: { price: "\${{ line.price }}" } }
  - id: result
    output: { total: "\${{ steps.sums.output.total }}" }
`;

/** Returns the labels of the suggestions for the definition after a change. \`|\` marks the cursor. */
function offered(before: string, after: string): string[] {
  const changed = DEFINITION.replace(before, after.replaceAll('$', '$$$$'));
  expect(changed).not.toBe(DEFINITION);
  return suggested(changed);
}

function suggested(marked: string): string[] {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const known = { schema: SCHEMA, models: [], names: NAMES, functions: FUNCTIONS };
  return completionsAt(text, offset, { ...known, definition: LAST })?.items.map(({ label }) => label) ?? [];
}

/** What was parsed before the person began to type. */
const LAST = { approvals: { 'finance-leads': {} }, tools: [{ name: 'shop', operations: [{ name: 'order' }] }] };

describe('completion of references', () => {
  it.each([
    ['approval: finance-leads', 'approval: |', ['finance-leads']],
    ['approvers: [finance]', 'approvers: [|]', ['finance', 'legal']],
    ['approvers: [finance]', 'approvers: [finance, l|]', ['finance', 'legal']],
    ['- id: sums', '- { id: ask, hand_off: { to: [|] } }\n  - id: sums', ['finance', 'legal']],
    ['- id: sums', '- { id: found, retrieve: { base: |, query: x } }\n  - id: sums', ['handbook']],
    ['auth: { type: bearer, token: "" }', 'auth: { type: oauth2, connection: | }', ['google']],
    ['token: ""', 'token: |', ['secrets.SHOP_TOKEN']],
    ['- name: shop', '- { name: digest, type: agent, agent: | }\n  - name: shop', ['rss-digest']],
  ])('offers the names that fit: %s becomes %s', (before, after, expected) => {
    expect(offered(before, after)).toEqual(expected);
  });

  it('offers the operations of the tools, and those that every agent has', () => {
    const operations = offered('- id: sums', '- id: call\n    tool: sh|\n  - id: sums');
    expect(operations.slice(0, 2)).toEqual(['shop.order', 'shop.refund']);
    expect(operations).toContain('state.get');
  });

  it('uses the last definition that could be parsed', () => {
    expect(suggested('policies:\n  - approval: |')).toEqual([]);
    expect(suggested('name: [x\npolicies:\n  - approval: |')).toEqual(['finance-leads']);
  });
});

describe('completion of expressions', () => {
  const RESULT = 'total: "${{ steps.sums.output.total }}"';
  const inResult = (expression: string): string[] => offered(RESULT, `total: "\${{ ${expression}`);

  it('offers the names of the place, functions and their groups', () => {
    expect(inResult('| }}"')).toEqual(['input', 'trigger', 'run', 'agent', 'steps', 'size', 'math']);
    expect(inResult('math.| }}"')).toEqual(['ceil']);
  });

  it('offers the members of the input, also nested and in lists', () => {
    expect(inResult('input.| }}"').slice(0, 3)).toEqual(['order', 'customer', 'lines']);
    expect(inResult('input.customer.em| }}"')).toEqual(['email']);
    expect(inResult('input.lines[0].| }}"')).toEqual(['price']);
    expect(inResult('input.order.| }}"')).toEqual(['size', 'trim']);
    expect(inResult('input.lines.| }}"')).toEqual(['size', 'first']);
  });

  it('offers only the steps before, and what is known of their outputs', () => {
    expect(inResult('steps.| }}"').slice(0, 2)).toEqual(['sums', 'each']);
    expect(inResult('steps.sums.| }}"').slice(0, 3)).toEqual(['output', 'status', 'error']);
    expect(inResult('steps.sums.output.| }}"').slice(0, 2)).toEqual(['total', 'note']);
    expect(offered('note: "${{ input.order }}"', 'note: "${{ steps.| }}"')).not.toContain('sums');
  });

  it('offers the item in a loop, and its members', () => {
    expect(offered('${{ line.price }}', '${{ | }}')).toContain('line');
    expect(offered('${{ line.price }}', '${{ line.| }}')[0]).toBe('price');
    expect(inResult('| }}"')).not.toContain('line');
  });

  it('works without braces where the format expects an expression, also before the line is complete', () => {
    expect(offered('&& request.amount > 100.0', '&& request.|').slice(0, 2)).toEqual(['id', 'amount']);
    expect(offered('show: [request.id]', 'show: [request.id, request.am|]')).toContain('amount');
    expect(offered('action: require_approval', 'action: |')).not.toContain('input');
    expect(offered('- id: sums', '- id: sums\n    if: input.cust|')).toContain('customer');
    expect(offered('- id: sums', '- id: kindless\n    if: input.cust|\n  - id: sums')).toContain('customer');
  });

  it('offers operations in comparisons with the name of the tool', () => {
    const operations = offered('tool.name == "shop.refund"', 'tool.name == "sh|');
    expect(operations.slice(0, 2)).toEqual(['shop.order', 'shop.refund']);
    expect(offered('tool.name == "shop.refund"', 'tool.scope == "|')).toEqual([]);
  });

  it('offers secrets only where the service resolves them', () => {
    expect(offered('token: ""', 'token: "${{ secrets.| }}"')[0]).toBe('SHOP_TOKEN');
    expect(inResult('| }}"')).not.toContain('secrets');
  });

  it('offers the names that macros declare', () => {
    expect(inResult('input.lines.map(row, ro| }}"')).toContain('row');
  });
});
