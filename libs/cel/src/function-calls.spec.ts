import type { JsonObject, JsonValue } from '@app/kernel';
import { compileCondition, compileExpression } from './cel-environment.js';
import type { ExpressionScope } from './cel-names.js';
import { celTypeOf } from './cel-types.js';
import { ExpressionError } from './expression.js';
import { FUNCTION_NAMES } from './function-registry.js';
import { evaluated, failureOf } from './testing/evaluating.js';

const inputSchema: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    n: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
    amounts: { type: 'array', items: { type: 'number' } },
    who: { type: 'object', properties: { mail: { type: 'string' } } },
  },
};
const shape = { type: celTypeOf(inputSchema), schema: inputSchema, owner: 'The input schema' };
const typed: ExpressionScope = { names: new Set(['input', 'steps']), shapes: new Map([['input', shape]]) };

function refusal(source: string, scope = typed): ExpressionError {
  try {
    compileExpression(source, scope);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${source} was not refused.`);
}

describe('a call of an unknown function', () => {
  it.each([
    ['input.text.lowerAsci()', 'lowerAscii'],
    ['input.text.toLowerCase()', 'lowerAscii'],
    ['input.tags.grupBy(t, t)', 'groupBy'],
    ['math.cell(1.5)', 'math.ceil'],
    ['maths.ceil(1.5)', 'math.ceil'],
    ['json.parse(input.text)', 'json.decode'],
    ['jsn.decode(input.text)', 'json.decode'],
    ['length(input.tags)', 'size'],
    ['input.text.frobnicateEverything()', undefined],
  ])('%s is answered with the nearest known one', (source, name) => {
    const error = refusal(source);
    const [, suggested = ''] = /^Did you mean `(.+)`\?$/.exec(error.suggestion ?? '') ?? [];
    expect(error.message).toContain('which does not exist');
    expect(FUNCTION_NAMES).toContain(suggested);
    if (name !== undefined) expect(suggested).toBe(name);
  });

  it.each([
    ['trim(input.text)', 'Write `input.text.trim()`.'],
    ['input.text.charAt()', 'Write the call as `string.charAt(int)`.'],
    ['hash.sha256()', 'Write the call as `hash.sha256(string)` or `hash.sha256(string, string)` or `hash.sha256(bytes)` or `hash.sha256(bytes, string)`.'],
    ['time.format(1)', 'Write the call as `time.format(timestamp, string)` or `time.format(timestamp, string, string)` or `time.format(string, string)` or `time.format(string, string, string)`.'],
    ['string(true, 1)', undefined],
  ])('%s has the right name, so the suggestion shows how to call it', (source, suggestion) => {
    expect(refusal(source)).toMatchObject({ code: 'type', suggestion });
  }); // prettier-ignore
});

describe('the static types of functions', () => {
  it.each([
    ['input.text.split(",")', 'list<string>'],
    ['input.tags.slice(0, 1)', 'list<string>'],
    ['input.tags.sort().reverse().distinct()', 'list<string>'],
    ['input.tags.first()', 'optional<string>'],
    ['input.tags.first().value()', 'string'],
    ['input.amounts.sum()', 'double'],
    ['input.amounts.map(a, math.round(a)).sum()', 'double'],
    ['[1, 2].sum()', 'int'],
    ['math.greatest(input.amounts)', 'double'],
    ['math.abs(input.n)', 'double'],
    ['input.tags.sortBy(t, size(t))', 'list<string>'],
    ['input.tags.groupBy(t, t)', 'map<string, list<string>>'],
    ['input.amounts.reduce(acc, a, 0.0, acc + a)', 'double'],
    ['input.tags.reduce(acc, t, [], acc + [t])', 'dyn'],
    ['input.?n', 'optional<double>'],
    ['input.?n.orValue(0.0)', 'double'],
    ['input.tags.first().optMap(t, size(t))', 'optional<int>'],
    ['regex.extract(input.text, "a")', 'optional<string>'],
    ['json.decode(input.text)', 'dyn'],
    ['time.parse(input.text, "yyyy")', 'google.protobuf.Timestamp'],
    ['hash.md5(input.text)', 'string'],
    ['sets.contains(input.tags, ["a"])', 'bool'],
  ])('%s is %s', (source, type) => {
    expect(compileExpression(source, typed).type).toBe(type);
  });

  it.each([
    'input.n.trim()',
    'input.text.sort()',
    'input.amounts.join(",")  + 1.0',
    'math.ceil(input.text)',
    'input.text.substring(input.n)',
    'input.tags.sum() + 1',
    'input.text.first()',
    'input.text.sortBy(x, x)',
    'input.n.optMap(x, x)',
    'input.text.charAt(0) == 1',
    'regex.replace(input.text, input.n, "")',
  ])('%s is refused', (source) => {
    expect(refusal(source).code).toBe('type');
  });

  it.each(['input.who.merge({"a": 1})', 'json.encode(input.who)', 'input.who.merge({"a": 1}).mail'])(
    '%s is fine, although the fields of the object are known',
    (source) => {
      expect(compileExpression(source, typed).evaluate({ input: { who: { mail: 'm' } } })).toBeDefined();
    },
  );

  it('warns about no optional field that is read with .?', () => {
    const told: string[] = [];
    const scope = { ...typed, onOptional: (text: string) => told.push(text) };
    compileExpression('input.?text.orValue("") + input.text', scope);
    expect(told).toEqual(['input.text']);
  });

  it('warns unless the expression itself asks whether the field exists', () => {
    const told: string[] = [];
    const scope = { ...typed, onOptional: (text: string) => told.push(text) };
    compileExpression('has( input.text ) ? input.text : ""', scope);
    expect(told).toEqual([]);
    compileExpression('"has(input.text)" + input.text', scope);
    expect(told).toEqual(['input.text']);
  });
});

describe('a condition over an optional', () => {
  it('judges its value', () => {
    const scope = { names: new Set(['input']) };
    expect(compileCondition('input.?ok', scope).evaluate({ input: { ok: true } })).toBe(true);
    expect(() => compileCondition('input.?ok', scope).evaluate({ input: {} })).toThrow(
      expect.objectContaining({ code: 'type', message: expect.stringContaining('returned null') }),
    );
  });
});

describe('a namespace', () => {
  const scope = { names: new Set(['url', 'optional', 'math', 'run']) };
  const values = { url: { path: '/a b', encode: 'x' }, optional: { of: 'o' }, math: [1, 2], run: { id: 'run_1' } };

  it.each<[string, JsonValue]>([
    ['url.path', '/a b'],
    ['url.encode(url.path)', '%2Fa%20b'],
    ['url.encode', 'x'],
    ['url.path.trim()', '/a b'],
    ['optional.of', 'o'],
    ['optional.of(1)', 1],
    ['math.map(m, m + 1.0)', [2, 3]],
    ['math.abs(-1)', 1],
    ['[1].map(url, url.encode("ü") + string(url))', ['%C3%BC1']],
  ])('is no variable: %s', (source, expected) => {
    expect(compileExpression(source, scope).evaluate(values)).toEqual(expected);
  });
});

describe('run.uuid', () => {
  it('is one UUID for each run and name', () => {
    const uuid = evaluated('run.uuid("order")');
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(evaluated('run.uuid("order")')).toBe(uuid);
    expect(evaluated('run.uuid("other")')).not.toBe(uuid);
    const scope = { names: new Set(['run']) };
    const other = compileExpression('run.uuid("order")', scope).evaluate({ run: { id: 'run_2' } });
    expect(other).not.toBe(uuid);
  });

  it('needs the run and a name that is text', () => {
    expect(refusal('run.uuid("x")').code).toBe('unknown_name');
    for (const call of ['run.uuid(1)', 'run.uuid()']) {
      expect(failureOf(call)).toMatchObject({ code: 'type', suggestion: 'Write the call as `run.uuid(string)`.' });
    }
  });
});

describe('the order of members', () => {
  const unordered = { zeta: 1, b: 2, aa: 3, '10': 4, '2': 5, é: 6 };

  it('is the order in which Postgres stores them', () => {
    const stored = ['2', '10', 'b', 'aa', 'é', 'zeta'];
    expect(evaluated('input.map(k, k)', unordered)).toEqual(stored);
    expect(evaluated('json.encode(input)', { in: { b: 1, a: 2 } })).toBe('{"in":{"a":2,"b":1}}');
    expect(evaluated('csv.encode(input)', [{ name: 'Ann', id: 1 }])).toBe('id,name\r\n1,Ann\r\n');
  });

  it('is the order in which a literal names them', () => {
    expect(evaluated('{"z": 1, "a": 2}.map(k, k)')).toEqual(['z', 'a']);
    expect(evaluated('{"constructor": 1, "a": 2}.map(k, k)')).toEqual(['constructor', 'a']);
  });
});

describe('the limits', () => {
  it('grow with the data that is read', () => {
    const text = 'a,'.repeat(512 * 1024);
    expect(evaluated('size(input.split(","))', text)).toBe(512 * 1024 + 1);
    expect(evaluated('size(input.text.split(""))', { text, other: 1 })).toBe(1024 * 1024);
    const lines = 'some key=some value\n'.repeat(50_000);
    expect(evaluated('size(input.split("\\n").filter(l, l != "").map(l, l.split("=")[1]))', lines)).toBe(50_000);
  });

  it('do not grow with data that is not read, or that is read again', () => {
    const input = { text: 'a'.repeat(500_000), items: Array.from({ length: 1_000 }, (_, index) => index) };
    const loop = 'input.items.exists(a, input.items.exists(b, a + b < 0.0))';
    expect(failureOf(loop, input).code).toBe('cost');
    expect(failureOf('input.items.all(i, size(input.text.split("")) > 0)', input).code).toBe('cost');
  });

  it.each([
    'input.text + input.text',
    'input.text.replace("a", "bbbb")',
    '[input.text, input.text].join()',
    '"%s%s".format([input.text, input.text])',
    'regex.replace(input.text, "a", "bbbb")',
    '[input.text, input.text]',
    'size(json.encode([input.text, input.text]))',
    'size(url.encode(input.text + "ü")) + size(csv.encode([[input.text, input.text]]))',
    'size(bytes(input.text) + bytes(input.text))',
  ])('stop %s, whose value is larger than 4 MiB', (source) => {
    expect(failureOf(source, { text: 'a'.repeat(2_500_000) }).code).toBe('cost');
  });

  it('count the bytes of a value, not its characters', () => {
    expect(failureOf('input.text + input.text', { text: '€'.repeat(800_000) }).code).toBe('cost');
    expect(evaluated('size(input.text + input.text)', { text: 'a'.repeat(800_000) })).toBe(1_600_000);
  });
});
