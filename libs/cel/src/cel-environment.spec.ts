import type { JsonObject, JsonValue } from '@app/kernel';
import { blockCounter } from '../../kernel/src/testing/measured-work.js';
import fc from 'fast-check';
import { compileCondition, compileExpression } from './cel-environment.js';
import type { ExpressionScope } from './cel-names.js';
import { celTypeOf } from './cel-types.js';
import { ExpressionError } from './expression.js';

const scope: ExpressionScope = { names: new Set(['input', 'request', 'steps']) };
const values = {
  input: { n: 3, tags: ['a', 'b'], text: 'hello', nothing: null },
  request: { amount: 150, to: 'a@x.com' },
  steps: { first: { output: { total: 7 } } },
};

function evaluate(source: string, more: Record<string, JsonValue> = {}): JsonValue {
  return compileExpression(source, scope).evaluate({ ...values, ...more });
}

function failureOf(run: () => unknown): ExpressionError {
  try {
    run();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

const executedBlocks = blockCounter();

describe('an expression', () => {
  it.each<[string, JsonValue]>([
    ['request.amount > 100', true],
    ['request.amount * 2.0', 300],
    ['request.amount == 150', true],
    ['input.n in [1, 3]', true],
    ['size(input.tags) + 1', 3],
    ['steps.first.output.total / 2.0', 3.5],
    ['input.tags.exists(t, t == "b")', true],
    ['input.tags.map(t, t + "!")', ['a!', 'b!']],
    ['input.tags.filter(t, t != "a")', ['b']],
    ['input.tags.all(x, input.tags.exists(y, y == x))', true],
    ['input.tags.map(x, input.tags.filter(y, y != x))', [['b'], ['a']]],
    ['has(steps.first.output)', true],
    ['has(steps.second.output)', false],
    ['has(steps.second.output) && steps.second.output.total > 1.0', false],
    ['has(steps.first.output.missing)', false],
    ['has(input.missing)', false],
    ['has(input.nothing) ? "there" : "gone"', 'there'],
    ['input.missing == 1 || true', true],
    ['{"kept": input.tags, "n": 1}', { kept: ['a', 'b'], n: 1 }],
    ['input', { n: 3, tags: ['a', 'b'], text: 'hello', nothing: null }],
    ['timestamp("2027-01-31T08:00:00Z")', '2027-01-31T08:00:00.000Z'],
    ['int(request.amount) % 7', 3],
    ['"n is " + string(input.n)', 'n is 3'],
    ['type(input.n) == double', true],
  ])('%s', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  it.each([
    ['request.amount * 2', 'Write `2.0`.'],
    ['-1 + input.n', 'Write `-1.0`.'],
    ['input.n % 2', 'Write `int(input.n) % 2`.'],
    ['request["amount"] - 1', 'Write `1.0`.'],
  ])('%s is refused when it is compiled', (source, suggestion) => {
    expect(failureOf(() => compileExpression(source, scope))).toMatchObject({ code: 'type', suggestion });
  });

  it.each([
    ['request.absent == 1', 'missing_field', 'Check first: `has(request.absent) && …` or `has(request.absent) ? request.absent : null`.'],
    ['steps.second.output', 'missing_field', 'Check first: `has(steps.second) && …`.'],
    ['input.n + size(input.tags)', 'type', 'Write `double(size(input.tags))`.'],
    ['"n is " + input.n', 'type', 'Write `string(input.n)`.'],
    ['input.tags[5]', 'out_of_bounds', undefined],
    ['1.0 / 0.0', 'not_json', undefined],
    ['9007199254740993', 'not_json', undefined],
    ['b"abc"', 'not_json', undefined],
    ['int(input.text)', 'failed', undefined],
    ['!input.n', 'type', undefined],
  ])('%s fails when it is evaluated, with a remedy', (source, code, suggestion) => {
    expect(failureOf(() => evaluate(source))).toMatchObject({ code, suggestion, expression: source });
  }); // prettier-ignore

  it('never puts data into an error', () => {
    const secret = { input: { text: 'S3CRET', tags: ['S3CRET'], map: { S3CRET: 1 } } };
    const sources = [
      'int(input.text)',
      'bool(input.text)',
      'timestamp(input.text)',
      'duration(input.text)',
      'input.map[input.tags[0] + "x"]',
      'input.text + 1.0',
      'input.text.matches("(" + input.text)',
      'double(input.text)',
      '!input.text',
      'input.text ? 1 : 2',
      'input.tags["x"]',
    ];
    for (const source of sources) {
      const error = failureOf(() => compileExpression(source, scope).evaluate(secret));
      expect(`${error.message} ${error.suggestion}`).not.toContain('S3CRET');
    }
  });

  it.each([
    ['reqest.amount', 'unknown_name', 'Did you mean `request`?'],
    ['input.n = 3', 'syntax', 'In CEL, compare with `==`.'],
    ['input.n > 1.0 or true', 'syntax', 'In CEL, write `||`.'],
    ['${{ input.n }}', 'syntax', 'Remove `${{` and `}}`: the value of this key is always an expression.'],
    ['input.text == hello', 'unknown_name', 'A string needs quotes: `"hello"`.'],
    ['secrets.KEY', 'unknown_name', undefined],
    ['', 'syntax', undefined],
    [
      '(',
      'syntax',
      'Add the closing bracket. If the expression contains a comma and is inside `{ }` or `[ ]` of YAML, put it in quotes, because YAML ends an unquoted value at a comma.',
    ],
  ])('%s does not compile', (source, code, suggestion) => {
    expect(failureOf(() => compileExpression(source, scope))).toMatchObject({ code, suggestion });
  });

  it('does not reach prototypes or globals', () => {
    for (const source of ['input.constructor', 'input.__proto__', 'input.tags.length', 'input.text.constructor']) {
      expect(failureOf(() => evaluate(source)).code).not.toBe('failed');
    }
    expect(failureOf(() => compileExpression('process.exit(1)', scope)).code).toBe('unknown_name');
  });

  it.each<[string, string]>([
    ['input.made', '{"__proto__":{"n":1},"constructor":{"name":"Ada"}}'],
    ['input.made.constructor.name == "Ada" && size(input.made) == 2', 'true'],
    ['has(input.made.constructor) && input.made["__proto__"].n == 1.0', 'true'],
    ['input.made == input.made && "constructor" in input.made', 'true'],
    ['input.made.filter(key, key != "constructor")', '["__proto__"]'],
    ['has(input.constructor)', 'false'],
  ])('sees members whose names every object has: %s', (source, expected) => {
    const input = JSON.parse('{"made":{"constructor":{"name":"Ada"},"__proto__":{"n":1}}}') as JsonObject;
    expect(JSON.stringify(evaluate(source, { input }))).toBe(expected);
  });

  it('gives copies, so that nothing changes the data of the run', () => {
    const result = evaluate('input.tags');
    expect(result).toEqual(values.input.tags);
    expect(result).not.toBe(values.input.tags);
  });

  it('reports the secrets it mentions, and none as a whole', () => {
    const names: string[] = [];
    const open = { names: new Set(['secrets']), onSecret: (name: string) => names.push(name) };
    compileExpression('secrets.A + secrets["B"]', open);
    expect(names).toEqual(['A', 'B']);
    expect(failureOf(() => compileExpression('string(secrets)', open)).code).toBe('unknown_name');
  });
});

describe('an expression over a typed input', () => {
  const inputSchema: JsonObject = {
    type: 'object',
    properties: {
      vendor: { type: 'string' },
      n: { type: 'number' },
      tags: { type: 'array', items: { type: 'string' } },
      who: { type: 'object', properties: { mail: { type: 'string' } } },
      open: { type: 'object', properties: { a: {} }, additionalProperties: true },
      either: { type: ['string', 'null'] },
    },
  };
  const shape = { type: celTypeOf(inputSchema), schema: inputSchema, owner: 'The input schema' };
  const typed: ExpressionScope = { ...scope, shapes: new Map([['input', shape]]) };

  it.each([
    ['input.vendr', 'Did you mean `vendor`?'],
    ['input.who.mial == "x"', 'Did you mean `mail`?'],
    ['input.n * 2', 'Write `2.0`.'],
    ['input.vendor + input.n', 'Write `string(input.n)`.'],
  ])('%s is refused', (source, suggestion) => {
    expect(failureOf(() => compileExpression(source, typed))).toMatchObject({ suggestion });
  });

  it.each(['input.n in [1, 2]', 'input.vendor == null', 'input.n == 3', 'input.open.whatever', 'has(input.absent)',
    'input.who == {"mail": "m"}', 'input.either == null || input.either == "x"', 'input.n > 1.0 ? input.vendor : null',
    'input.tags.all(t, t.startsWith("a"))', 'input.vendor in ["a", "b"]'])('%s is fine', (source) => {
    expect(compileExpression(source, typed).source).toBe(source);
  }); // prettier-ignore

  it('keeps members that the schema does not name', () => {
    expect(compileExpression('input', typed).evaluate({ input: { extra: 1 } })).toEqual({ extra: 1 });
  });
});

describe('a condition', () => {
  it('gives true or false', () => {
    expect(compileCondition('request.amount > 100.0', scope).evaluate(values)).toBe(true);
  });

  it('is refused where it can be neither', () => {
    expect(failureOf(() => compileCondition('size(input.tags)', scope)).code).toBe('type');
    expect(failureOf(() => compileCondition('input.n', scope).evaluate(values)).code).toBe('type');
  });
});

describe('the limits of expressions', () => {
  /**
   * Limit of executed blocks of JavaScript. Without the work budget, these expressions would execute billions of
   * blocks.
   */
  const MAX_BLOCKS = 100_000_000;
  const items = Array.from({ length: 100_000 }, (_, index) => index);
  const big = { input: { items, text: 'a'.repeat(1_000_000), some: items.slice(0, 1_000) }, request: {}, steps: {} };

  it.each([
    ['quadratic membership', 'input.items.all(x, x in input.items)'],
    ['a loop that is too long', 'input.items.exists(x, x < 0.0)'],
    ['a loop whose error is swallowed', 'input.items.exists(x, x < 0.0) || true'],
    ['a loop in a loop', 'input.items.all(x, input.items.exists(y, y == x + 0.5))'],
    [
      'loops whose errors are swallowed',
      'input.items.exists(x, input.items.exists(y, input.items.exists(z, z < 0.0)))',
    ],
    ['growing lists in loops', 'input.some.map(x, input.some.map(y, input.some.map(z, input.some)))'],
    ['comparing everything', 'input.some.all(x, input.items == input.items)'],
    ['searching in every round', 'input.text.split("").all(c, input.text.contains("b"))'],
    ['growing text', 'input.some.map(x, input.text + input.text)'],
    ['growing lists', 'input.some.map(x, input.items + input.items)'],
    ['matching in every round', 'input.some.all(x, !input.text.matches("(a+)+b"))'],
    ['a large pattern in every round', 'input.some.all(x, !input.text.matches("(a?){200}(a?){200}b"))'],
  ])('stop %s', (_what, source) => {
    const compiled = compileExpression(source, scope);
    const evaluate = () => expect(failureOf(() => compiled.evaluate(big)).code).toBe('cost');
    expect(executedBlocks(evaluate)).toBeLessThan(MAX_BLOCKS);
  });

  it.each([
    '^(a+)+$', '(a|aa)+$', '(a|a?)+$', '^(.*a){12}$', '([a-zA-Z]+)*$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*)*=.*', '^(a|b|ab)*c',
  ])('match %s, for which a backtracking engine would try ever more', (pattern) => {
    const text = `${'a'.repeat(5_000)}!`;
    const expression = compileExpression(`input.text.matches(${JSON.stringify(pattern)})`, scope);
    expect(typeof expression.evaluate({ input: { text } })).toBe('boolean');
  }); // prettier-ignore

  it.each([
    ['look-ahead', 'input.text.matches("(?=a)")'],
    ['back-references', 'input.text.matches("(a)\\\\1")'],
    ['patterns that write out to much', 'input.text.matches("(a{1000}){1000}")'],
    [
      'four loops in one another',
      'input.tags.all(a, input.tags.all(b, input.tags.all(c, input.tags.exists(d, d == a))))',
    ],
    ['more than 1 KiB', `"${'a'.repeat(1_100)}" == ""`],
    ['more than 256 parts', Array.from({ length: 200 }, () => 'true').join(' && ')],
    ['deep nesting', `${'('.repeat(400)}1${')'.repeat(400)}`],
    ['deep lists', `${'['.repeat(200)}${']'.repeat(200)}`],
    ['deep negation', `${'!'.repeat(900)}true`],
    ['deep minus', `${'-'.repeat(900)}1`],
    ['deep choice', `${'true ? 1 : '.repeat(80)}1`],
  ])('refuse %s', (_what, source) => {
    expect(failureOf(() => compileExpression(source, scope)).code).toBe('syntax');
  });

  it('never throw anything else, whatever the text', () => {
    const part = fc.constantFrom(
      'input',
      'request',
      '.',
      'n',
      'tags',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '"a"',
      '1',
      '2.0',
      ' + ',
      ' * ',
      ' == ',
      ' && ',
      ' ? ',
      ' : ',
      '!',
      '-',
      '.map(x, x)',
      '.exists(x, x == 1)',
      '.matches("a")',
      'has(',
      'size(',
      ', ',
      'null',
      'true',
      ' in ',
      'x',
      '\\',
      "'",
      'r"',
      '`',
    );
    const source = fc.oneof(
      fc.array(part, { maxLength: 20 }).map((parts) => parts.join('')),
      fc.string({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(source, (text) => {
        try {
          compileExpression(text, scope).evaluate(values);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }),
      { numRuns: 700 },
    );
  });
});
