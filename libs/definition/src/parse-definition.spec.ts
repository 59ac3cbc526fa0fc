import fc from 'fast-check';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse, stringify } from 'yaml';
import { AGENT_V1_SCHEMA, compileDefinition, parseDefinition } from './index.js';
import { INVOICE_ROUTER, REFUND_DESK } from './testing/example-definitions.js';
import { LIMITS } from './testing/limits.js';

function accepted(text: string, format: 'yaml' | 'json' = 'yaml') {
  const parsed = parseDefinition(text, format, LIMITS);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors, null, 2));
  return parsed;
}

describe('parseDefinition', () => {
  it('accepts a definition that uses every section for models', () => {
    const { compiled, warnings } = accepted(REFUND_DESK);
    expect(compiled.kind).toBe('model');
    expect([...compiled.operations.keys()]).toEqual([
      'orders.get',
      'orders.refund',
      'crm.getCustomer',
      'crm.addNote',
      'mail.send_reply',
      'notify.send',
      'knowledge.retrieve',
      'knowledge.search',
    ]);
    expect(warnings).toEqual([]);
  });

  it('accepts a plan with most kinds of steps', () => {
    const { compiled, warnings } = accepted(INVOICE_ROUTER);
    expect(compiled.kind).toBe('steps');
    expect(compiled.steps.map((step) => step.kind)).toEqual([
      'retrieve',
      'tool',
      'let',
      'switch',
      'for_each',
      'tool',
      'wait',
      'output',
    ]);
    expect(warnings).toEqual([]);
  });

  it('gives the same definition, canonical text and model for YAML and JSON', () => {
    const fromYaml = accepted(REFUND_DESK);
    const fromJson = accepted(JSON.stringify(fromYaml.definition), 'json');
    expect(fromJson.definition).toEqual(fromYaml.definition);
    expect(fromJson.canonical).toBe(fromYaml.canonical);
    expect(compileDefinition(fromYaml.definition).limits).toEqual(fromYaml.compiled.limits);
  });

  it('accepts the %YAML directive and no other', () => {
    const plan = 'name: x\ndescription: ""\nsteps: [{ id: a, output: {} }]\n';
    expect(accepted(`%YAML 1.2\n---\n${plan}`).definition).toEqual(accepted(plan).definition);
    const directives = ['%YAML 1.1', '%TAG ! tag:example.com,2026:', '%YAML 1.2 1.1'];
    for (const directive of directives) {
      const parsed = parseDefinition(`${directive}\n---\n${plan}`, 'yaml', LIMITS);
      expect(parsed).toMatchObject({ ok: false, detail: expect.stringContaining('other than `%YAML 1.2`') });
    }
  });

  it('keeps any plain data through YAML and JSON', () => {
    const data = fc.jsonValue({ depthSize: 'small', maxDepth: 8 });
    const definition = (output: unknown) => ({ name: 'x', steps: [{ id: 'a', output: { kept: output } }] });
    fc.assert(
      fc.property(data, (value) => {
        const written = definition(JSON.parse(JSON.stringify(value)));
        for (const [text, format] of [
          [stringify(written, { aliasDuplicateObjects: false }), 'yaml'],
          [JSON.stringify(written, null, 2), 'json'],
        ] as const) {
          const parsed = parseDefinition(text, format, LIMITS);
          // Some generated strings contain characters that definitions reject, or the beginning of an expression. The
          // test therefore also accepts that the definition is rejected.
          if (parsed.ok) expect(parsed.definition).toEqual(written);
          else expect(text).toMatch(/\$\{\{|__proto__|constructor|prototype|\\0|\\u0000|<</);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('reads texts that begin with a byte order mark', () => {
    expect(parseDefinition('\uFEFFname: x\nsteps: [{ id: a, output: 1 }]', 'yaml', LIMITS).ok).toBe(true);
    expect(parseDefinition('\uFEFF{"name":"x","steps":[{"id":"a","output":1}]}', 'json', LIMITS).ok).toBe(true);
  });

  it('ignores x- keys wherever keys are fixed', () => {
    const text = `
name: x
x-owner: me
limits: { max_steps: 5, x-why: tests }
tools: [{ name: t, x-a: 1, type: http, base_url: https://a.example, operations: [{ name: g, method: GET, path: /, x-b: 2 }] }]
steps: [{ id: a, tool: t.g, x-c: [1] }]`;
    expect(accepted(text).compiled.limits.maxSteps).toBe(5);
  });

  it('keeps names that begin with x- wherever the author chooses the names', () => {
    const { compiled } = accepted(`
name: x
labels: { x-team: core }
tools:
  - { name: x-t, type: http, base_url: https://a.example, headers: { x-api-key: "\${{ secrets.KEY }}" }, operations: [{ name: g, method: POST, path: / }] }
approvals: { x-bosses: { approvers: [bosses] } }
policies: [{ name: p, when: 'tool.name == "x-t.g"', action: require_approval, approval: x-bosses }]
steps: [{ id: a, tool: x-t.g, with: { x-id: 1 } }]
evaluation: { cases: [{ name: c, input: {}, mock: { x-t.g: { done: true } }, assert: [{ type: status, value: succeeded }] }] }`);
    expect(compiled.labels).toEqual({ 'x-team': 'core' });
    expect(Object.keys(compiled.tools.get('x-t')?.headers ?? {})).toEqual(['x-api-key']);
    expect(compiled.approvals.get('x-bosses')?.approvers).toEqual(['bosses']);
    expect(
      parseDefinition('name: x\nlabels: { x-team: [1] }\nsteps: [{ id: a, output: 1 }]', 'yaml', LIMITS),
    ).toMatchObject({ ok: false, errors: [{ pointer: '/labels/x-team' }] });
  });

  it('compiles stored versions in which x- names were extensions everywhere', () => {
    const stored = compileDefinition({
      name: 'x',
      labels: { 'x-team': 1, team: 'core' },
      approvals: { 'x-note': 'ask finance first', bosses: { approvers: ['bosses'] } },
      steps: [{ id: 'a', output: 1 }],
    });
    expect([stored.labels, [...stored.approvals.keys()]]).toEqual([{ team: 'core' }, ['bosses']]);
  });

  it('takes names as people write them', () => {
    const text = `name: x
approvals: { finance-leads: { approvers: [f] } }
policies: [{ name: Big_refund, when: 'request.amount > 1.0', action: require_approval, approval: finance-leads }]
triggers: [{ id: my-hook, type: webhook }]
steps:
  - { id: getOrder, let: { netTotal: 2 } }
  - { id: sign, approval: finance-leads }
  - { id: each, for_each: [1], as: theItem, steps: [{ id: one, assert: "theItem > steps.getOrder.output.netTotal" }] }`;
    expect(parseDefinition(text, 'yaml', LIMITS)).toMatchObject({ ok: true, warnings: [] });
  });

  it('reports at most 50 mistakes, in the order of the text', () => {
    const keys = Array.from({ length: 80 }, (_, index) => `key_${index}: 1`).join('\n');
    const parsed = parseDefinition(`name: x\n${keys}\nsteps: [{ id: a, output: 1 }]`, 'yaml', LIMITS);
    const lines = parsed.ok ? [] : parsed.errors.map((error) => error.line);
    expect(lines).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
  });

  it('warns of an integer that runs would use as another number', () => {
    const text = `name: big
input: { type: object, properties: { n: { type: integer, maximum: 9223372036854775807 } } }
steps:
  - { id: d, output: { id: 1533947986218845197, l: [-1533947986218845197], ok: 9007199254740991, s: "1533947986218845197", f: 1e300 } }
`;
    expect(accepted(text).warnings.map(({ pointer, line }) => [pointer, line])).toEqual([
      ['/steps/0/output/id', 4],
      ['/steps/0/output/l/0', 4],
    ]);
    const json = '{"name":"big","steps":[{"id":"d","output":{"id":1533947986218845197}}]}';
    expect(parseDefinition(json, 'json', LIMITS)).toMatchObject({ warnings: [{ pointer: '/steps/0/output/id' }] });
  });

  it('warns of probable mistakes', () => {
    const text = `
name: x
tools:
  - { name: t, type: http, base_url: https://a.example, operations: [{ name: g, method: GET, path: / }] }
approvals: { boss: { approvers: [bosses] } }
steps:
  - { id: stop, fail: { message: no } }
  - { id: after, output: 1 }`;
    expect(accepted(text).warnings.map(({ pointer, line }) => [pointer, line])).toEqual([
      ['/tools/0', 4],
      ['/approvals/boss', 5],
      ['/steps/1', 8],
    ]);
  });

  it('warns of keys without effect and of an evaluation without effect', () => {
    const text = `
name: x
evaluation: { cases: [{ name: c, input: {}, assert: [{ type: status, value: succeeded }] }] }
steps:
  - { id: a, timeout: 1s, let: { x: 1 } }
  - { id: b, retry: { max_attempts: 2 }, wait: { for: 1s } }
  - { id: c, timeout: 1s, retry: { max_attempts: 2 }, parallel: [{ steps: [{ id: d, output: 1 }] }, { steps: [{ id: e, output: 1 }] }] }`;
    expect(accepted(text).warnings.map(({ pointer }) => pointer)).toEqual([
      '/evaluation',
      '/steps/0/timeout',
      '/steps/1/retry',
    ]);
  });

  it('shows the line of a mistake, or the part around it if the line is long', () => {
    const excerptOf = (text: string, format: 'yaml' | 'json' = 'yaml') => {
      const parsed = parseDefinition(text, format, LIMITS);
      return parsed.ok ? undefined : parsed.errors[0]?.excerpt;
    };
    expect(excerptOf('name: x\nsteps:\n  - { id: a, tol: b }\n')).toBe('- { id: a, tol: b }');
    expect(excerptOf('name: x\nb: [')).toBe('b: [');
    expect(excerptOf(`{"name":"x","x-a":"${'a'.repeat(500)}","steps":[{"id":"a","tol":1}]}`, 'json')).toMatch(
      /^a+","steps":\[\{"id":"a","tol":1\}\]\}$/,
    );
  });

  it('lists each mention of a secret with its pointer', () => {
    const text = `
name: x
tools:
  - name: t
    type: http
    base_url: https://a.example
    auth: { type: basic, username: "\${{ secrets.USER }}", password: "\${{ secrets.PASSWORD }}" }
    headers:
      X-Team: blue
      X-Key: "\${{ secrets['USER'] }}"
    operations: [{ name: g, method: GET, path: / }]
steps: [{ id: a, tool: t.g }]`;
    expect(accepted(text).secrets.map(({ name, place }) => ({ name, ...place() }))).toMatchObject([
      { name: 'USER', pointer: '/tools/0/auth/username', line: 7, column: 49 },
      { name: 'PASSWORD', pointer: '/tools/0/auth/password', line: 7, column: 82 },
      { name: 'USER', pointer: '/tools/0/headers/X-Key', line: 10, column: 28 },
    ]);
  });

  it.each([1, 200])('accepts %i trials of each case', (trials) => {
    const { definition } = accepted(`
name: x
steps: [{ id: a, output: 1 }]
evaluation: { trials: ${trials}, cases: [{ name: c, input: {}, assert: [{ type: cel, value: 'true' }] }] }`);
    expect(definition).toMatchObject({ evaluation: { trials } });
  });

  it.each([
    [201, '201 is too large: it must be at most 200.'],
    [0, '0 is too small: it must be at least 1.'],
  ])('rejects %i trials of each case and names the limit', (trials, detail) => {
    const text = `
name: x
steps: [{ id: a, output: 1 }]
evaluation: { trials: ${trials}, cases: [{ name: c, input: {}, assert: [{ type: cel, value: 'true' }] }] }`;
    const parsed = parseDefinition(text, 'yaml', LIMITS);
    expect(parsed.ok ? [] : parsed.errors).toMatchObject([{ pointer: '/evaluation/trials', detail }]);
  });

  it.each([
    ['a rate of 1', '{ min_pass_rate: 1 }', 20, null],
    ['too few trials', '{ min_pass_rate: 0.9 }', 20, /With 20 trials, a pass rate of 0.9 cannot be proven/],
    ['enough trials', '{ min_pass_rate: 0.9 }', 25, null],
    ['a lower confidence', '{ min_pass_rate: 0.9, confidence: 0.8 }', 20, null],
    ['no rate', '{ max_age: 7d }', 1, null],
  ])('warns of a gate that no version passes: %s', (_, gate, trials, warned) => {
    const text = (count: number) => `
name: x
steps: [{ id: a, output: 1 }]
evaluation: { cases: [${Array.from({ length: count }, (__, n) => `{ name: c${n}, input: {}, assert: [{ type: cel, value: 'true' }] }`).join(', ')}], gate: ${gate} }`;
    const [warning, ...others] = accepted(text(trials)).warnings;
    expect(others).toEqual([]);
    if (warned === null) expect(warning).toBeUndefined();
    else
      expect(warning).toMatchObject({
        pointer: '/evaluation/gate/min_pass_rate',
        detail: expect.stringMatching(warned),
      });
  });

  it('warns of a budget that hands runs off without naming recipients', () => {
    const text = (more: string) => `
name: x
model: a/b
instructions: Answer.
limits: { budget: { per_run: "0.50", currency: EUR, on_exceeded: hand_off } }
${more}`;
    expect(accepted(text('')).warnings).toMatchObject([{ pointer: '/limits/budget/on_exceeded', line: 5 }]);
    expect(accepted(text('hand_off: { to: [support] }')).warnings).toEqual([]);
  });

  it('warns of policies of which only the first one asks its approvers', () => {
    const text = (policies: string) => `
name: x
tools: [{ name: t, type: http, base_url: https://a.example, operations: [{ name: p, method: POST, path: / }, { name: q, method: POST, path: / }] }]
approvals: { team: { approvers: [team] }, board: { approvers: [board] } }
policies:
${policies}
steps: [{ id: a, tool: t.p, with: {} }, { id: b, tool: t.q, with: {} }]`;
    const asks = (name: string, when: string, approval: string) =>
      `  - { name: ${name}, when: '${when}', action: require_approval, approval: ${approval} }`;
    const warned = (...policies: string[]) =>
      accepted(text(policies.join('\n'))).warnings.map(({ pointer }) => pointer);
    const [large, huge] = ['request.amount > 1.0', 'request.amount > 2.0'];
    expect(warned(asks('large', large, 'team'), asks('huge', huge, 'board'))).toEqual(['/policies/1/approval']);
    expect(warned(asks('large', 'tool.name == "t.p"', 'team'), asks('huge', 'tool.name == "t.q"', 'board'))).toEqual(
      [],
    );
    expect(
      warned(asks('large', large, 'team'), asks('huge', huge, 'team'), asks('p', 'tool.name == "t.p"', 'board')),
    ).toEqual(['/policies/2/approval']);
  });

  it('warns of writes of a model that no policy covers', () => {
    const text = `
name: x
model: a/b
instructions: hi
tools: [{ name: t, type: http, base_url: https://a.example, operations: [{ name: p, method: POST, path: / }] }]`;
    expect(accepted(text).warnings.map(({ pointer }) => pointer)).toEqual(['/tools/0']);
    expect(accepted(`${text}\npolicy_defaults: { write: require_approval }`).warnings).toEqual([]);
  });
});

describe('AGENT_V1_SCHEMA', () => {
  it('is plain JSON Schema 2020-12, so editors and the service agree', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(AGENT_V1_SCHEMA);
    for (const text of [REFUND_DESK, INVOICE_ROUTER]) {
      expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
    }
    expect(validate({ name: 'x', stesp: [] })).toBe(false);
    expect(validate({ name: 'x', steps: [{ id: 'a', tool: 'a.b', let: {} }] })).toBe(false);
  });

  it('describes every key for editors', () => {
    const missing: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, member] of Object.entries(value)) {
        const isProperty = path.endsWith('/properties') && !/\/(if|then|else)\/properties$/.test(path);
        const text = JSON.stringify(member);
        if (isProperty && !text.includes('"description"') && !text.includes('"$ref"')) missing.push(`${path}/${key}`);
        visit(member, `${path}/${key}`);
      }
    };
    visit(AGENT_V1_SCHEMA, '');
    expect(missing).toEqual([]);
  });

  it.each(['yaml', 'json'] as const)('allows %s the configured numbers of levels and bytes', (format) => {
    const nested = `{"name": "x", "steps": [{"id": "a", "output": ${'['.repeat(17)}${']'.repeat(17)}}]}`;
    const bytes = Buffer.byteLength(nested);
    const codeWithin = (more: { bytes: number; depth: number }) => {
      const limits = { ...LIMITS, ...more };
      const parsed = parseDefinition(nested, format, limits);
      return parsed.ok ? 'ok' : parsed.code;
    };
    expect(codeWithin({ bytes, depth: 20 })).toBe('ok');
    expect(codeWithin({ bytes, depth: 19 })).toBe(`invalid_${format}`);
    expect(codeWithin({ bytes: bytes - 1, depth: 20 })).toBe('payload_too_large');
    const parsed = parseDefinition(nested, format, { ...LIMITS, bytes, depth: 19 });
    expect(parsed).toMatchObject({ errors: [{ detail: 'Values are nested deeper than 19 levels.' }] });
  });
});
