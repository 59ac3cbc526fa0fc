import { parseDefinition } from './index.js';
import { LIMITS } from './testing/limits.js';

/**
 * The valid part of each tested definition. A test adds a step with one mistake. It expects an error at the position of
 * the mistake, with a suggestion.
 */
const BASE = `name: x
input: { type: object, required: [vendor], properties: { vendor: { type: string }, n: { type: number } } }
tools:
  - name: orders
    type: http
    base_url: https://o.example
    operations:
      - { name: get, method: GET, path: "/o/{order_id}", request: { type: object, required: [order_id], additionalProperties: false, properties: { order_id: { type: string } } } }
      - { name: pay, method: POST, path: "/o/{id}" }
approvals: { finance: { approvers: [f] } }
policies: [{ name: ask, when: 'tool.name == "orders.pay"', action: require_approval, approval: finance }]
`;

const GROUPS =
  'Write the name of a group. To choose between groups, write one step for each group, with a condition in `if`.';

function mistakesIn(text: string) {
  const parsed = parseDefinition(text, 'yaml', LIMITS);
  if (parsed.ok) return [];
  return parsed.errors.map(({ pointer, line, column, suggestion }) => ({
    pointer,
    at: `${line}:${column}`,
    suggestion,
  }));
}

type Mistake = [what: string, step: string, pointer: string, column: number, suggestion: string | undefined];

describe('a mistake in a step', () => {
  const step: Mistake[] = [
    ['an unknown kind', '{ id: a, tol: orders.get }', '/tol', 14, 'Did you mean `tool`?'],
    ['a word of another product', '{ id: a, uses: orders.get }', '/uses', 14, 'Did you mean `tool`?'],
    ['two kinds', '{ id: a, tool: orders.pay, let: { x: 1 } }', '', 5, 'Keep one of these keys, or write two separate objects.'],
    ['an unknown key', '{ id: a, assert: "true", mesage: hi }', '/mesage', 30, 'Did you mean `message`?'],
    ['no id', '{ output: 1 }', '', 5, 'Add `id`: Unique name. Later steps can read `steps.<id>.output`.'],
    ['an id that expressions cannot name', '{ id: a-b, output: 1 }', '/id', 11, 'Use letters, digits and `_`, because expressions contain this name: `check_order`. At most 63 characters.'],
    ['a value that expressions cannot name', '{ id: a, let: { net-total: 1 } }', '/let/net-total', 21, 'Use letters, digits and `_`, because expressions contain this name: `check_order`. At most 63 characters.'],
    ['an unknown operation', '{ id: a, tool: orders.gte }', '/tool', 20, 'Did you mean `orders.get`?'],
    ['an unknown tool', '{ id: a, tool: order.get }', '/tool', 20, 'Did you mean `orders.get`?'],
    ['a missing argument', '{ id: a, tool: orders.get }', '/tool', 14, 'Add `order_id` to `with`.'],
    ['a missing path parameter', '{ id: a, tool: orders.pay, with: {} }', '/with', 32, 'Add `id` to `with`.'],
    ['a mistyped argument', '{ id: a, tool: orders.get, with: { orderid: "1" } }', '/with', 32, '`with` contains `orderid`. Did you mean `order_id`?'],
    ['an unknown approval', '{ id: a, approval: finanse }', '/approval', 24, 'Did you mean `finance`?'],
    ['a duration in words', '{ id: a, wait: { for: 5 min } }', '/wait/for', 27, 'Write a whole number and a unit: `500ms`, `20s`, `10m`, `24h` or `30d`.'],
    ['a loop over text', '{ id: a, for_each: input.n, steps: [{ id: b, output: 1 }] }', '/for_each', 24, 'Write `${{ input.n }}`.'],
    ['a loop over a number', '{ id: a, for_each: "${{ 5 }}", steps: [{ id: b, output: 1 }] }', '/for_each', 24, 'Write a list, for example `${{ [1, 2] }}`.'],
    ['a loop over what is text', '{ id: a, for_each: "${{ input.vendor }}", steps: [{ id: b, output: 1 }] }', '/for_each', 24, 'Write a list, for example `${{ [1, 2] }}`.'],
    ['a loop over an object', '{ id: a, for_each: "${{ {\'a\': 1} }}", steps: [{ id: b, output: 1 }] }', '/for_each', 24, 'Write a list, for example `${{ [1, 2] }}`. To process an object, loop over its keys: `o.map(key, key)`.'],
    ['a loop that hides a name', '{ id: a, for_each: [1], as: input, steps: [{ id: b, output: 1 }] }', '/as', 33, 'Choose another name for the item.'],
    ['a loop with a word of CEL', '{ id: a, for_each: [1], as: in, steps: [{ id: b, output: 1 }] }', '/as', 33, 'Choose another name for the item.'],
    ['a loop with a word that CEL keeps for later', '{ id: a, for_each: [1], as: var, steps: [{ id: b, output: 1 }] }', '/as', 33, 'Choose another name for the item.'],
    ['a step whose id is a word of CEL', '{ id: in, output: "${{ steps.in.output }}" }', '/output', 34, "Write `steps['in']`."],
    ['a field whose name is a word of CEL', '{ id: a, assert: "steps.first.output.null == 1.0" }', '/assert', 42, "Write `steps.first.output['null']`."],
    ['an optional field whose name is a word of CEL', '{ id: a, output: "${{ input.list[0].?true }}" }', '/output', 42, "Write `input.list[0][?'true']`."],
    ['a model step without a model', '{ id: a, agent: { instructions: hi } }', '/agent', 14, 'Add `model` to the definition.'],
    ['a condition that is no text', '{ id: a, assert: true }', '/assert', 22, 'Put it in quotes: `"true"`.'],
    ['a template in place of CEL', '{ id: a, if: "${{ input.n > 1.0 }}", output: 1 }', '/if', 19, 'Remove `${{` and `}}`: the value of this key is always an expression.'],
    ['an open template', '{ id: a, output: "${{ input.n" }', '/output', 23, 'Close it with `}}`.'],
    ['an undeclared input', '{ id: a, assert: "input.vendr == \'x\'" }', '/assert', 29, 'Did you mean `vendor`?'],
    ['doubles and whole numbers', '{ id: a, assert: "input.n * 2 > 3.0" }', '/assert', 23, 'Write `2.0`.'],
    ['text and numbers', '{ id: a, output: "hi ${{ input.vendor + 1 }}" }', '/output', 30, 'Write `string(1)`.'],
    ['a number as a condition', '{ id: a, assert: "input.n" }', '/assert', 23, undefined],
    ['an unquoted text', '{ id: a, assert: "input.vendor == acme" }', '/assert', 39, 'A string needs quotes: `"acme"`.'],
    ['a word of another language', '{ id: a, assert: "input.n > 1.0 and input.n < 2.0" }', '/assert', 37, 'In CEL, write `&&`.'],
    ['a single equals sign', '{ id: a, assert: "input.n = 1.0" }', '/assert', 31, 'In CEL, compare with `==`.'],
    ['a secret in the open', '{ id: a, output: "${{ secrets.KEY }}" }', '/output', 27, undefined],
    ['an unknown function', '{ id: a, assert: "input.vendor.startWith(\'a\')" }', '/assert', 23, 'Did you mean `startsWith`?'],
    ['a pattern that is not RE2', '{ id: a, assert: "input.vendor.matches(\'(?=a)\')" }', '/assert', 44, 'Write it in RE2 syntax, which has no look-ahead, look-behind or back-references.'],
    ['a step that comes later', '{ id: a, assert: "steps.z.output == 1" }', '/assert', 23, 'Move `z` up.'],
    ['its own output', '{ id: a, assert: "steps.a.output == 1" }', '/assert', 23, undefined],
    ['an unknown step', '{ id: a, assert: "steps.zz.output == 1" }', '/assert', 23, 'Did you mean `z`?'],
    ['a step without .output', '{ id: a, assert: "steps.first.total == 1.0" }', '/assert', 23, 'Write `steps.first.output.total`.'],
    ['a step inside a loop', '{ id: a, assert: "steps.inner.output == 1.0" }', '/assert', 23, 'Read the output of the step that contains `inner`.'],
  ]; // prettier-ignore

  it.each(step)('%s', (_what, yaml, pointer, column, suggestion) => {
    const around = ['{ id: first, output: 1 }', '{ id: loop, for_each: [1], steps: [{ id: inner, output: 1 }] }'];
    const text = `${BASE}steps:\n${[...around, yaml, '{ id: z, output: 1 }'].map((one) => `  - ${one}`).join('\n')}\n`;
    expect(mistakesIn(text)).toEqual([{ pointer: `/steps/2${pointer}`, at: `15:${column}`, suggestion }]);
  });

  it('in a folded text is reported at that text', () => {
    const text = `${BASE}steps:\n  - id: a\n    assert: >-\n      input.vendor == 'a'\n      && foo\n`;
    expect(mistakesIn(text)).toEqual([{ pointer: '/steps/0/assert', at: '14:13', suggestion: undefined }]);
  });
});

describe('a mistake outside of the steps', () => {
  const plan = 'steps: [{ id: a, output: 1 }]\n';
  const model = 'model: a/b\ninstructions: hi\n';
  const rows: [what: string, text: string, pointer: string, at: string, suggestion: string | undefined][] = [
    ['a mistyped key', `name: x\nstesp: 1\n${plan}`, '/stesp', '2:1', 'Did you mean `steps`?'],
    ['a synonym', `name: x\n${model}prompt: hi\n`, '/prompt', '4:1', 'Did you mean `instructions`?'],
    ['a word that is not known', 'name: x\nmodel: { provider: a, name: b, files: all, params: { cache: 5m } }\ninstructions: hi\n', '/model/files', '2:39', undefined],
    ['nothing to do', 'name: x\n', '', '1:1', 'Add `steps` for a fixed plan, or `model` and `instructions` for an agent that is driven by a model.'],
    ['a name with spaces', `name: Refund Desk\n${plan}`, '/name', '1:7', 'Use lower-case letters, digits and `-`: `refund-desk`. At most 63 characters.'],
    ['too many trials', `name: x\n${plan}evaluation: { trials: 201, cases: [{ name: c, input: {}, assert: [{ type: denied }] }] }\n`, '/evaluation/trials', '3:23', undefined],
    ['a number in quotes', `name: x\n${plan}limits: { max_steps: "30" }\n`, '/limits/max_steps', '3:22', 'Leave the quotes out: `30`.'],
    ['an amount that is a number', `name: x\n${plan}limits: { budget: { per_run: 0.50, currency: EUR } }\n`, '/limits/budget/per_run', '3:30', 'Put it in quotes: `"0.5"`.'],
    ['a budget of nothing', `name: x\n${plan}limits: { budget: { currency: EUR } }\n`, '/limits/budget', '3:19', 'Add `per_run` or `per_day`.'],
    ['a mistyped choice', `name: x\n${plan}policies: [{ name: p, when: "true", action: denny }]\n`, '/policies/0/action', '3:45', 'Did you mean `deny`?'],
    ['an approval without a rule', `name: x\n${plan}policies: [{ name: p, when: "true", action: require_approval }]\n`, '/policies/0/action', '3:45', 'Add `approval:` with a name below `approvals`.'],
    ['two of one name', `name: x\n${plan}policies: [{ name: p, when: "true", action: deny }, { name: p, when: "true", action: deny }]\n`, '/policies/1/name', '3:61', 'Rename one.'],
    ['an impossible cron field', `name: x\n${plan}triggers: [{ id: t, type: schedule, cron: "61 * * * *" }]\n`, '/triggers/0/cron', '3:43', 'Write minute, hour, day of month, month and day of week, for example `0 7 * * 1-5`.'],
    ['a cron step beyond its field', `name: x\n${plan}triggers: [{ id: t, type: schedule, cron: "*/90 * * * *" }]\n`, '/triggers/0/cron', '3:43', 'Write minute, hour, day of month, month and day of week, for example `0 7 * * 1-5`.'],
    ['six cron fields', `name: x\n${plan}triggers: [{ id: t, type: schedule, cron: "0 0 7 * * 1" }]\n`, '/triggers/0/cron', '3:43', 'Write five fields: minute, hour, day of month, month, day of week, such as `0 7 * * 1-5`.'],
    ['an unknown time zone', `name: x\n${plan}triggers: [{ id: t, type: schedule, cron: "0 7 * * *", timezone: Europe/Berln }]\n`, '/triggers/0/timezone', '3:66', 'Did you mean `Europe/Berlin`?'],
    ['an unknown trigger type', `name: x\n${plan}triggers: [{ id: t, type: schedul, cron: "0 7 * * *" }]\n`, '/triggers/0/type', '3:27', 'Did you mean `schedule`?'],
    ['a mistyped key of an attachment', `name: x\ntools: [{ name: m, type: email, to: a@example.com }]\nsteps: [{ id: s, tool: m.send, with: { subject: a, text: b, attachments: [{ base64: aGk=, filname: c.png }] } }]\n`, '/steps/0/with/attachments/0/filname', '3:91', 'Did you mean `filename`?'],
    ['the first word of a trigger type', `name: x\n${plan}triggers: [{ id: t, type: email, mailbox: a@example.com }]\n`, '/triggers/0/type', '3:27', 'Did you mean `email.received`?'],
    ['a member that no trigger has', `name: x\n${plan}policies: [{ name: p, when: trigger.subjekt == "a", action: deny }]\n`, '/policies/0/when', '3:37', 'Its fields are `type`, `id`, `mailbox`, `message_id`, `fire_at`, `key`, `run`, `evaluation`, `client`, `tool`, `from_step`, `tool_results`, `version`, `case`, `case_n`, `trial`, `baseline`.'],
    ['headers of a webhook', `name: x\n${plan}triggers: [{ id: t, type: webhook, filter: 'trigger.headers["x-event"] == "a"' }]\n`, '/triggers/0/filter', '3:53', 'Its fields are `type`, `id`.'],
    ['a member of another trigger', `name: x\n${plan}triggers: [{ id: t, type: webhook, map: { at: "\${{ trigger.fire_at }}" } }]\n`, '/triggers/0/map/at', '3:60', 'Its fields are `type`, `id`.'],
    ['a mistyped member of a trigger', `name: x\n${plan}triggers: [{ id: t, type: email.received, mailbox: a@example.com, map: { at: "\${{ trigger.mailboxx }}" } }]\n`, '/triggers/0/map/at', '3:91', 'Did you mean `mailbox`?'],
    ['a response without a wait', `name: x\n${plan}triggers: [{ id: t, type: webhook, respond: { wait: 0s, body: hi } }]\n`, '/triggers/0/respond/wait', '3:53', 'Write `1s` or more. To answer at once, remove `respond`: the response is then 202 with the run.'],
    ['an input that a trigger does not give', `${BASE}${plan}triggers: [{ id: t, type: webhook, map: {} }]\n`, '/triggers/0/map', '13:41', 'Add `vendor` to `map`.'],
    ['an input of the wrong type from a schedule', `${BASE}${plan}triggers: [{ id: t, type: schedule, cron: "0 7 * * *", input: { vendor: 3 } }]\n`, '/triggers/0/input/vendor', '13:73', 'Put it in quotes: `"3"`.'],
    ['no pause at all between opposite bounds', `name: x\n${plan}retry: { initial: 2s, max: 1s }\n`, '/retry/initial', '3:19', 'Make `max` at least `initial`.'],
    ['an approval that ends at once', `name: x\n${plan}approvals: { a: { approvers: [g], timeout: 0s } }\n`, '/approvals/a/timeout', '3:44', 'Write a longer time, for example `24h`.'],
    ['a computed group of a rule', `name: x\n${plan}approvals: { a: { approvers: ["\${{ input.team }}"] } }\n`, '/approvals/a/approvers/0', '3:31', GROUPS],
    ['a computed group that takes over', `name: x\n${plan}hand_off: { to: [g, "\${{ input.team }}"] }\n`, '/hand_off/to/1', '3:21', GROUPS],
    ['a computed group of a question', `name: x\nsteps: [{ id: q, ask: { to: ["\${{ input.team }}"], form: { type: object } } }]\n`, '/steps/0/ask/to/0', '2:30', GROUPS],
    ['a schema type that does not exist', `name: x\n${plan}input: { type: object, properties: { a: { type: text } } }\n`, '/input/properties/a/type', '3:49', 'Write `string`.'],
    ['a look-ahead in a schema', `name: x\n${plan}input: { properties: { a: { pattern: "(?=x)" } } }\n`, '/input/properties/a/pattern', '3:38', 'Write it in RE2 syntax, which has no look-ahead, look-behind or back-references.'],
    ['a dead reference in a schema', `name: x\n${plan}input: { $ref: "#/$defs/a" }\n`, '/input/$ref', '3:16', 'Write `#/$defs/<name>`.'],
    ['required as a flag', `name: x\n${plan}output: { properties: { a: { required: true } } }\n`, '/output/properties/a/required', '3:40', 'Write `required: [<name of the property>]` in the schema that contains `properties`.'],
    ['a case that the input refuses', `${BASE}${plan}evaluation: { cases: [{ name: c, input: { vendor: 3 }, assert: [{ type: denied }] }] }\n`, '/evaluation/cases/0/input/vendor', '13:51', 'Put it in quotes: `"3"`.'],
    ['an input schema that is wrong, beside cases', `name: x\n${plan}input: { properties: { a: { required: true } } }\nevaluation: { gate: {}, cases: [{ name: c, input: { a: 3 }, assert: [{ type: denied }] }] }\n`, '/input/properties/a/required', '3:39', 'Write `required: [<name of the property>]` in the schema that contains `properties`.'],
    ['a limit of nothing', `${BASE}${plan}evaluation: { cases: [{ name: c, input: { vendor: v }, assert: [{ type: steps }] }] }\n`, '/evaluation/cases/0/assert/0', '13:65', 'Add `value`.'],
    ['a gate that nothing passes', `name: x\n${plan}evaluation: { gate: { must_pass: { tags: [a] } }, from_runs: {} }\n`, '/evaluation/gate/must_pass/tags/0', '3:43', undefined],
    ['a path that is not redactable', `name: x\n${plan}redact: { paths: [inpt.body] }\n`, '/redact/paths/0', '3:19', 'Begin with `input`, `output`, `steps`, `tools` or `trigger`, for example `input.body`.'],
    ['a redacted step that does not exist', `name: x\n${plan}redact: { paths: [steps.b.output.iban] }\n`, '/redact/paths/0', '3:19', 'Did you mean `a`?'],
    ['a redacted operation that does not exist', `${BASE}${plan}redact: { paths: [tools.orders.gett.response] }\n`, '/redact/paths/0', '13:19', 'Did you mean `orders.get`?'],
    ['a redacted call without its side', `${BASE}${plan}redact: { paths: [tools.orders.get.email] }\n`, '/redact/paths/0', '13:19', 'Write `tools.orders.get.request` or `tools.orders.get.response`.'],
    ['a key without concurrency', `name: x\n${plan}concurrency: { max_per_key: 1 }\n`, '/concurrency/max_per_key', '3:16', 'Add `key: "${{ input.… }}"`.'],
  ]; // prettier-ignore

  it.each(rows)('%s', (_what, text, pointer, at, suggestion) => {
    expect(mistakesIn(text)).toEqual([{ pointer, at, suggestion }]);
  });
});

describe('a mistake in a tool', () => {
  const rows: [what: string, operation: string, pointer: string, suggestion: string | undefined][] = [
    ['a method in lower case', '{ name: a, method: get, path: / }', '/method', 'Did you mean `GET`?'],
    ['a path parameter that the request lacks', '{ name: a, method: GET, path: "/{id}", request: { properties: { idd: {} } } }', '/path', 'Did you mean `idd`?'],
    ['a query in the path', '{ name: a, method: GET, path: "/a?b=c" }', '/path', 'Begin the path with `/` and write no `?`. Properties that the path does not use are sent as the query.'],
    ['a read that is idempotent', '{ name: a, method: GET, path: /, scope: read, effect: idempotent }', '/effect', 'Leave `effect` out, or write `scope: write`.'],
    ['too long a timeout', '{ name: a, method: GET, path: /, timeout: 20m }', '/timeout', 'Write `10m` or less.'],
    ['a reconciliation that writes', '{ name: a, method: POST, path: /, reconcile: { operation: a, applied_if: "true" } }', '/reconcile/operation', 'Reads are `get`.'],
    ['an unknown name in applied_if', '{ name: a, method: POST, path: /, reconcile: { operation: get, applied_if: "respone.status == 200" } }', '/reconcile/applied_if', 'Did you mean `response`?'],
    ['an unknown name in output', '{ name: a, method: POST, path: /, reconcile: { operation: get, applied_if: "true", output: "${{ respone.body }}" } }', '/reconcile/output', 'Did you mean `response`?'],
  ]; // prettier-ignore

  it.each(rows)('%s', (_what, operation, pointer, suggestion) => {
    const read = '{ name: get, method: GET, path: / }';
    const text = `name: x\nsteps: [{ id: s, output: 1 }]\ntools: [{ name: t, type: http, base_url: https://a.example, operations: [${read}, ${operation}] }]\n`;
    const found = mistakesIn(text).map((mistake) => ({ ...mistake, at: mistake.at.split(':')[0] }));
    expect(found).toEqual([{ pointer: `/tools/0/operations/1${pointer}`, at: '3', suggestion }]);
  });

  const ALL = '`streamable_http`, `stdio`';
  const whichTransport = `Add \`transport\`, one of ${ALL}: How to reach the server. The operator must enable stdio.`;

  it.each([
    ['neither a URL nor a command', '', whichTransport],
    ['a URL', ', url: "https://a.example"', `Add \`transport: streamable_http\`. Allowed values are ${ALL}.`],
    ['a command', ', command: npx', `Add \`transport: stdio\`. Allowed values are ${ALL}.`],
    ['a URL and a command', ', url: "https://a.example", command: npx', whichTransport],
  ])('a server with %s, but without a transport', (_what, members, suggestion) => {
    const text = `name: x\nsteps: [{ id: s, output: 1 }]\ntools: [{ name: t, type: mcp, include: [x]${members} }]\n`;
    expect(mistakesIn(text)).toEqual([{ pointer: '/tools/0', at: '3:9', suggestion }]);
  });

  it.each([
    ['{ name: t, base_url: "https://a.example", operations: [] }', /^Add `type: http`\. Allowed values are `http`, /],
    ['{ name: t }', /^Add `type`, one of `http`, .*: Kind, /],
    ['{ name: t, description: x, agent: a }', /^Add `type: agent`\. /],
  ])('a tool without a type: %s', (tool, suggestion) => {
    const text = `name: x\nsteps: [{ id: s, output: 1 }]\ntools: [${tool}]\n`;
    expect(mistakesIn(text)).toMatchObject([{ pointer: '/tools/0', suggestion: expect.stringMatching(suggestion) }]);
  });

  it.each([
    ['"*"', 'Write a list: `["*"]`.'],
    ['ops@example.com', 'Write a list: `["ops@example.com"]`.'],
    ['"say \\"hi\\""', 'Write a list: `["say \\"hi\\""]`.'],
  ])('a string in place of a list: %s', (value, suggestion) => {
    const tool = `{ name: mail, type: email, to: "\${{ request.to }}", allowed_recipients: ${value} }`;
    const text = `name: x\nsteps: [{ id: s, output: 1 }]\ntools: [${tool}]\n`;
    expect(mistakesIn(text)).toMatchObject([{ pointer: '/tools/0/allowed_recipients', suggestion }]);
  });

  it('arguments that are one expression', () => {
    const suggestion =
      'Write an object. Only its values can be expressions, for example `{ name: "${{ input.name }}" }`.';
    expect(mistakesIn(`${BASE}steps: [{ id: a, tool: orders.get, with: "\${{ input }}" }]\n`)).toMatchObject([
      { pointer: '/steps/0/with', suggestion },
    ]);
  });

  it('secrets as a whole', () => {
    const text = `name: x\nsteps: [{ id: s, output: 1 }]\ntools: [{ name: t, type: http, base_url: https://a.example, auth: { type: bearer, token: "\${{ secrets }}" }, operations: [{ name: get, method: GET, path: / }] }]\n`;
    expect(mistakesIn(text)).toMatchObject([{ pointer: '/tools/0/auth/token', suggestion: 'Write `secrets.NAME`.' }]);
  });
});

describe('a valid definition with a probable mistake', () => {
  const warningsOf = (text: string) => {
    const parsed = parseDefinition(text, 'yaml', LIMITS);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
    return parsed.warnings.map(({ pointer, detail, suggestion }) => [pointer, detail, suggestion]);
  };
  const withInput = (input: string): string => `name: x\ninput: ${input}\nsteps: [{ id: a, output: 1 }]`;
  const withTool = (tool: string, step = ''): string =>
    `name: x\ntools: [{ name: t, type: http, base_url: "https://t.example"${tool}, operations: [{ name: post, method: POST, path: /p }] }]\nsteps: [{ id: a, tool: t.post${step} }]`;
  it('asserts that a run is cancelled', () => {
    const text = `name: x\nsteps: [{ id: a, output: 1 }]\nevaluation: { gate: {}, cases: [{ name: c, input: {}, assert: [{ type: cel, value: "output == 1" }, { type: equals, value: 1 }, { type: status, value: cancelled }] }] }\n`;
    const [detail, suggestion] = [
      'A cancelled run is not graded, so this assertion never passes.',
      'Name another status, for example `failed` or `waiting_approval`.',
    ];
    expect(warningsOf(text)).toEqual([['/evaluation/cases/0/assert/2/value', detail, suggestion]]);
  });

  const output = (value: string): string =>
    `name: x\ninput: { type: object, properties: { n: { type: number } } }\nsteps: [{ id: a, if: has(input.n), output: ${value} }]`;

  it.each([
    ['{{ input.n }}', 'Write `${{ input.n }}` to insert the value.'],
    ['${input.n}', 'Write `${{ input.n }}` to insert the value.'],
    ['{{input.n}}', 'Write `${{ input.n }}` to insert the value.'],
  ])('gets a warning for the placeholder %s, which is plain text', (placeholder, suggestion) => {
    expect(warningsOf(output(`{ text: ["n: ${placeholder}"] }`))).toEqual([
      ['/steps/0/output/text/0', `\`${placeholder}\` is not an expression, so it is kept as plain text.`, suggestion],
    ]);
  });

  it.each(['n: ${{ input.n }}', '{{ mustache }} and ${HOME}', '{ input }', '$input'])(
    'gets no warning for %s',
    (text) => {
      expect(warningsOf(output(JSON.stringify(text)))).toEqual([]);
    },
  );

  it.each([
    ['{ type: array }', '/input/type', 'Write `type: object` and declare the value as a property.'],
    ['{ type: object, requird: [a] }', '/input/requird', 'Did you mean `required`?'],
    ['{ type: object, properties: { mail: { type: string, format: emial } } }', '/input/properties/mail/format', 'Did you mean `email`?'],
    ['{ type: object, properties: { plate: { type: string, format: licence-plate } } }', '/input/properties/plate/format', 'Use `pattern` to check the string.'],
  ])('gets a warning for the input schema %s', (input, pointer, suggestion) => {
    expect(warningsOf(withInput(input)).map(([at, , advice]) => [at, advice])).toEqual([[pointer, suggestion]]);
  }); // prettier-ignore

  it.each([
    '{ type: object, properties: { requird: { type: string } } }',
    '{ type: [object, "null"] }',
    '{ type: object, x-order: 1, properties: { d: { type: string, format: date-time, examples: [{ tpye: 1 }] } } }',
  ])('gets no warning for the input schema %s', (input) => {
    expect(warningsOf(withInput(input))).toEqual([]);
  });

  it('gets a warning for credentials in plain text', () => {
    const found = warningsOf(
      withTool(', auth: { type: bearer, token: sk-live-1 }, headers: { X-Api-Key: k, X-Trace: "1", Cookie: "${{ secrets.C }}" }'),
    );
    expect(found.map(([pointer]) => pointer)).toEqual(['/tools/0/auth/token', '/tools/0/headers/X-Api-Key']);
    expect(found[0]?.[2]).toBe('Store it as a secret with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.');
  }); // prettier-ignore

  it.each([
    ['method: POST', 'Write `effect: idempotent` if the server recognises the key.'],
    ['method: POST, scope: read', 'Remove it.'],
  ])('gets a warning for the idempotency key of an operation with `%s`', (keys, suggestion) => {
    const operation = `${keys}, path: /p, idempotency: {}`;
    const text = `name: x\ntools: [{ name: crm, type: http, base_url: https://crm.example.com, operations: [{ name: post, ${operation} }] }]\nsteps: [{ id: a, tool: crm.post }]\n`;
    expect(warningsOf(text).map(([at, , advice]) => [at, advice])).toEqual([
      ['/tools/0/operations/0/idempotency', suggestion],
    ]);
  });

  it('gets a warning for a retry that never applies to a write', () => {
    expect(warningsOf(withTool('', ', retry: { max_attempts: 3 }')).map(([pointer]) => pointer)).toEqual([
      '/steps/0/retry',
    ]);
  });
});
