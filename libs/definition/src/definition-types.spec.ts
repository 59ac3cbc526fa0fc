import { parseDefinition } from './index.js';
import { LIMITS } from './testing/limits.js';

/**
 * Returns a definition with these steps. Its input and its tools have schemas, so mistakes in the types of expressions
 * are found when the definition is created.
 */
const definition = (steps: string, more = '') => `name: x
input: { type: object, required: [vendor], properties: { vendor: { type: string }, note: { type: string } } }
tools:
  - name: orders
    type: http
    base_url: https://o.example
    operations:
      - name: pay
        method: POST
        path: /o
        request: { type: object, required: [to, sum], properties: { to: { type: string }, sum: { type: number }, memo: { type: string } } }
${more}
steps:
${steps}
`;

function findings(text: string) {
  const parsed = parseDefinition(text, 'yaml', LIMITS);
  const { errors, warnings } = parsed.ok ? { errors: [], warnings: parsed.warnings } : { ...parsed, warnings: [] };
  const short = ({ pointer, suggestion }: { pointer: string; suggestion?: string }) => [pointer, suggestion];
  return { errors: errors.map(short), warnings: warnings.map(short) };
}

const PAY = '- { id: pay, tool: orders.pay, with: { to: a, sum: 1 } }';
const policy = (when: string) => `policies: [{ name: p, when: '${when}', action: deny }]`;

describe('a definition', () => {
  it.each<[what: string, text: string, pointer: string, suggestion: string | undefined]>([
    ['a field that the request of its operation does not have', definition(PAY, policy('tool.name == "orders.pay" && request.summ > 1.0')), '/policies/0/when', 'Did you mean `sum`?'],
    ['a request that is compared with another type', definition(PAY, policy('request.to > 3.0 && tool.name == "orders.pay"')), '/policies/0/when', undefined],
    ['a member that the tool does not have', definition(PAY, policy('tool.nme == "x"')), '/policies/0/when', 'Did you mean `name`?'],
    ['a member that the run does not have', definition(`${PAY}\n- { id: o, output: "\${{ run.idd }}" }`), '/steps/1/output', 'Did you mean `id`?'],
    ['a member that the agent does not have', definition(`${PAY}\n- { id: o, output: "\${{ agent.nam }}" }`), '/steps/1/output', 'Did you mean `name`?'],
    ['a value that a let step does not make', definition(`${PAY}\n- { id: sums, let: { net: 1 } }\n- { id: o, output: "\${{ steps.sums.output.nett }}" }`), '/steps/2/output', 'Did you mean `net`?'],
    ['a computed value of another type', definition(`${PAY}\n- { id: sums, let: { net: "\${{ input.vendor.size() }}" } }\n- { id: o, output: "\${{ \\"sum: \\" + steps.sums.output.net }}" }`), '/steps/2/output', 'Write `string(steps.sums.output.net)`.'],
    ['doubles that a let step has made of whole numbers', definition(`${PAY}\n- { id: sums, let: { net: 1 } }\n- { id: o, output: "\${{ steps.sums.output.net * 2 }}" }`), '/steps/2/output', 'Write `2.0`.'],
    ['a member that an approval does not have', definition(`${PAY}\n- { id: ask, approval: boss }\n- { id: o, output: "\${{ steps.ask.output.decisoin }}" }`, 'approvals: { boss: { approvers: [b] } }'), '/steps/2/output', 'Did you mean `decision`?'],
    ['the output of a loop as an object', definition(`${PAY}\n- { id: each, for_each: [1], steps: [{ id: one, output: 1 }] }\n- { id: o, output: "\${{ steps.each.output + 1.0 }}" }`), '/steps/2/output', undefined],
    ['what the model does not have to answer', definition(`${PAY}\n- { id: ai, agent: { instructions: hi, output: { type: object, properties: { sum: { type: number } } } } }\n- { id: o, output: "\${{ steps.ai.output.summ }}" }`, 'model: a/b'), '/steps/2/output', 'Did you mean `sum`?'],
    ['a simulated answer made of a field that is not asked for', definition(PAY).replace('path: /o', 'path: /o\n        simulate: { paid: "${{ request.summ }}" }'), '/tools/0/operations/0/simulate/paid', 'Did you mean `sum`?'],
  ])('is refused for %s', (_what, text, pointer, suggestion) => {
    expect(findings(text).errors).toEqual([[pointer, suggestion]]);
  }); // prettier-ignore

  it.each([
    ['policies that name no operation, or several', definition(PAY, policy('tool.name == "orders.pay" || request.anything == 1.0'))],
    ['a branch in which the operation is another one', definition(PAY, policy('(tool.name == "orders.pay" ? request.sum : request.other) == 1.0'))],
    ['outputs of tools, which nothing declares', definition(`${PAY}\n- { id: o, output: "\${{ steps.pay.output.anything.at.all }}" }`)],
    ['a step that may have failed', definition(`${PAY}\n- { id: sums, continue_on_error: true, let: { net: 1 } }\n- { id: o, output: "\${{ steps.sums.output == null }}" }`)],
    ['questions about fields that are not declared', definition(`${PAY}\n- { id: o, output: "\${{ has(input.vendr) }}" }`)],
    ['a list variable that is called like something else', definition(`${PAY}\n- { id: o, output: "\${{ [1].map(run, run + 1) }}" }`)],
  ])('is not refused for %s', (_what, text) => {
    expect(findings(text).errors).toEqual([]);
  }); // prettier-ignore

  it('warns about a field that may be missing and is read without has()', () => {
    const text = definition(`${PAY}\n- { id: o, output: "\${{ input.note }} for \${{ input.vendor }}" }`);
    expect(findings(text).warnings).toEqual([
      ['/steps/1/output', 'Require the field in the schema, or check first whether it exists: `has(input.note)`.'],
    ]);
    expect(findings(definition(PAY, policy('tool.name == "orders.pay" && request.memo == "x"'))).warnings).toEqual([
      ['/policies/0/when', 'Require the field in the schema, or check first whether it exists: `has(request.memo)`.'],
    ]);
    const asking = definition(`${PAY}\n- { id: o, if: has(input.note), output: "\${{ input.note }}" }`);
    expect(findings(asking).warnings).toEqual([]);
  });

  const SIGNED = `- { id: sign, approval: boss }
- id: ai
  agent: { instructions: hi, output: { type: object, properties: { size: { enum: [small, big] } } } }
`;
  const read = (expression: string) =>
    findings(
      definition(
        `${PAY}\n${SIGNED}- { id: o, output: '\${{ ${expression} }}' }`,
        'model: a/b\napprovals: { boss: { approvers: [b] } }',
      ),
    ).errors;

  it.each([
    ['steps.pay.status == "suceeded"', 'Did you mean `succeeded`?'],
    ['steps.pay.status in ["failed", "skiped"]', 'Did you mean `skipped`?'],
    ['steps.sign.output.decision == "aprove"', 'Did you mean `approve`?'],
    ['steps.sign.output.decision == "approved"', 'Did you mean `approve`?'],
    ['steps.ai.output.size == "bigg"', 'Did you mean `big`?'],
    ['steps.pay.error.mesage', 'Did you mean `message`?'],
    ['steps.pay.error.code + 1', 'Write `string(1)`.'],
    ['steps.pay.result', 'Write `steps.pay.output.result`.'],
  ])('is refused for %s, which no step has', (expression, suggestion) => {
    expect(read(expression)).toEqual([['/steps/3/output', suggestion]]);
  });

  it.each([
    'steps.pay.status == "skipped" || steps.pay.status != "failed"',
    'steps.pay.error == null ? "" : steps.pay.error.code',
    'steps.pay.status == "failed" && steps.pay.error.status == 409 && steps.pay.error.body.reason == "exists"',
    'has(steps.pay.output) && has(steps.pay) && has(steps.pay.status) && has(steps.pay.error.body.reason)',
    'steps.sign.output.decision in ["approve", "reject", "expire"] && steps.sign.output.comment == null',
    'steps.sign.output.decided_by.exists(who, who == "ada@example.com")',
  ])('is not refused for %s', (expression) => {
    expect(read(expression)).toEqual([]);
  });

  it('names the words of an enum that is compared with another word', () => {
    const parsed = parseDefinition(
      definition(`${PAY}\n- { id: o, if: steps.pay.status == "done", output: 1 }`),
      'yaml',
      LIMITS,
    );
    expect(parsed.ok ? undefined : parsed.errors[0]?.detail).toBe(
      '`steps.pay.status == "done"` is never true, because `steps.pay.status` can only be one of `"succeeded"`, `"failed"`, `"skipped"`.',
    );
  });

  const COMPARED = `name: x
input: { type: object, required: [kind, sum, tags], properties: { kind: { enum: [refund, return] }, sum: { type: number }, tags: { type: array, items: { type: string } } } }
tools: [{ name: t, type: http, base_url: "https://t.example", operations: [{ name: post, method: POST, path: /p }] }]
steps: [{ id: post, tool: t.post }]
policies: [{ name: p, action: deny, when: 'CONDITION' }]
`;
  const refusal = (condition: string) => {
    const parsed = parseDefinition(COMPARED.replace('CONDITION', condition), 'yaml', LIMITS);
    return parsed.ok ? undefined : [parsed.errors[0]?.detail, parsed.errors[0]?.suggestion];
  };

  it.each([
    ['tool == "t.post"', '`tool == "t.post"` is never true, because `tool` is an object and `"t.post"` is a string.', 'Compare a field of the object, such as `tool.name`.'],
    ['input.sum != "5"', '`input.sum != "5"` is always true, because `input.sum` is a number and `"5"` is a string.', undefined],
    ['tool.scope == "wirte"', '`tool.scope == "wirte"` is never true, because `tool.scope` can only be one of `"read"`, `"write"`.', 'Did you mean `write`?'],
    ['tool.effect in ["read", "idempotant"]', '`tool.effect in ["read", "idempotant"]` is never true, because `tool.effect` can only be one of `"read"`, `"idempotent"`, `"at_most_once"`.', 'Did you mean `idempotent`?'],
    ['"live" == run.mode', '`"live" == run.mode` is never true, because `run.mode` can only be one of `"production"`, `"test"`.', undefined],
    ['input.kind != "refnd"', '`input.kind != "refnd"` is always true, because `input.kind` can only be one of `"refund"`, `"return"`.', 'Did you mean `refund`?'],
    ['5 in input.tags', '`5 in input.tags` is never true, because `5` is a number and each item of `input.tags` is a string.', undefined],
    ['input.tags == "vip"', '`input.tags == "vip"` is never true, because `input.tags` is a list and `"vip"` is a string.', undefined],
    ['size(input.tags) == "1"', '`size(input.tags) == "1"` cannot be computed: it has a whole number on the left and a string on the right of `==`.', undefined],
    ['tool.name == "t.post" && tool == "t.post"', '`tool == "t.post"` is never true, because `tool` is an object and `"t.post"` is a string.', 'Compare a field of the object, such as `tool.name`.'],
  ])('is refused for the comparison %s, whose result never changes', (condition, detail, suggestion) => {
    expect(refusal(condition)).toEqual([detail, suggestion]);
  }); // prettier-ignore

  it.each([
    'tool.name == "t.post" && tool.scope == "write"',
    'input.sum == 5 || input.sum == 5.0 || input.sum == -1',
    'input.kind == null || input.sum in [1, 2.0]',
    'input.tags.exists(tool, tool == "t.post")',
    'tool.scope in ["write", "read"] && run.mode != "test"',
    'has(request.to) && request.to == 5',
    '"vip" in input.tags && input.tags == []',
    'dyn(input.kind) == 1',
  ])('is not refused for the comparison %s', (condition) => {
    expect(refusal(condition)).toBeUndefined();
  });
});
