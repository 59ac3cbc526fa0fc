import type { JsonValue } from '@app/kernel';
import { compileExpression } from './cel-environment.js';
import { evaluated, failureOf } from './testing/evaluating.js';

const INPUT = { l: [1, 2], s: '{"a": 1}', items: [] };

describe('an expression', () => {
  it.each<[string, JsonValue]>([
    // Numbers are equal by value, at any depth and for each type.
    ['[1] == [1.0]', true],
    ['[1.0] == [1u]', true],
    ['{"a": [1, {"b": 2}]} == {"a": [1.0, {"b": 2u}]}', true],
    ["['one'] == [2]", false],
    ['[1, "a"] != [1, "b"]', true],
    ['1.0 in [1]', true],
    ['dyn(3u) in [3]', true],
    ['"a" in {"a": null}', true],
    ['9223372036854775807 == 9223372036854775808.0', false],
    ['double("NaN") == double("NaN")', false],
    ['input.l == [1, 2]', true],
    ['optional.of(1) == optional.of(1.0)', true],
    ['optional.none() == optional.of(1)', false],
    // The items of an empty list have no type.
    ['[].exists(e, e == 2)', false],
    ['[].all(e, e > 0)', true],
    ['[].map(e, e + 1)', []],
    ['cel.bind(l, [], l.exists(e, e == 2))', false],
    ['[[]].exists(x, x.exists(y, y == 1))', false],
    // `has` accepts any expression.
    ['has({"a": 1}.a)', true],
    ['has({"a": 1}.b)', false],
    ['has({"a": null}.a)', true],
    ['has(json.decode(input.s).a)', true],
    ['has(input.l.map(x, {"v": x})[0].v)', true],
    // Conversions of the standard.
    ['int(timestamp("2026-01-01T00:00:00.9Z"))', 1767225600],
    ['int(42u)', 42],
    ['timestamp(timestamp("2026-01-01T00:00:00Z"))', '2026-01-01T00:00:00.000Z'],
    ['string(duration(duration("1s")))', '1s'],
    ['duration("1s") + timestamp("2026-01-01T00:00:00Z") > timestamp("2026-01-01T00:00:00Z")', true],
    ['string(duration("-0.5s") + duration("-0.7s"))', '-1.2s'],
    ['string(duration("-0.5s") - duration("0.7s"))', '-1.2s'],
    ['double(math.greatest(1, 2u))', 2],
    // The bytes of a literal are UTF-8.
    ['b"é".base64()', 'w6k='],
    ["b'日本'.string()", '日本'],
    [String.raw`b"é\xff\351\n\"".base64()`, 'w6n/6Qoi'],
    ['hash.sha256(b"é") == hash.sha256("é")', true],
    // Bytes have an order, and maps have the keys of JSON.
    ['b"a" < b"b" && b"a" >= b""', true],
    ['{6: "s"}.map(k, k)', ['6']],
    ['{input.l[0]: "s"}', { '1': 's' }],
    ['6 in {6: "s"}', true],
    // A missing field of a missing value is missing.
    ['{}.?a.b.c', null],
    ['has({}.?a.b)', false],
    ['input.?s.b', null],
    ['optional.ofNonZeroValue(duration("0s")).hasValue()', false],
    ['optional.of(1).optFlatMap(x, optional.of(x + 1))', 2],
    ['math.bitShiftRight(-1, 62)', 3],
    ['"%d".format([double("NaN")])', 'NaN'],
    [String.raw`string(b"\xef\xbf\xbd")`, '\ufffd'],
    ['"\u00a0\u0085a\u2003".trim()', 'a'],
    ['"\ufeffa".trim()', '\ufeffa'],
  ])('%s is computed as CEL specifies', (source, expected) => {
    expect(evaluated(source, INPUT)).toEqual(expected);
  });

  it.each([
    'timestamp("9999-12-31T23:59:59Z") + duration("1s")',
    'timestamp("0001-01-01T00:00:00Z") - duration("1s")',
    'int(18446744073709551615u)',
    'has(json.decode(input.s).b.c)',
    '"a" == 1',
  ])('%s fails with the reason', (source) => {
    expect(failureOf(source, INPUT).message).toMatch(/is a time|exceeds|does not exist|on the left/);
  });

  it.each([
    ['{1.5: "a"}', 'is not a string, a whole number or a bool'],
    ['{null: "a"}', 'is not a string, a whole number or a bool'],
    ['{dyn(1.5): "a"}', 'is not a string, a whole number or a bool'],
    ['{1: "a", "1": "b"}', 'is used twice'],
    ['{"s": 1, input.n: 2}', 'has two entries with the same key'],
    ['{6: "s"}.exists(k, k == 6)', 'a string on the left and a whole number on the right'],
    [String.raw`string(b"\xff")`, 'bytes that are not UTF-8'],
    [String.raw`b"\xff".string()`, 'bytes that are not UTF-8'],
    ['math.bitShiftLeft(1, -1)', 'shifts by a negative number'],
    ['math.bitAnd(input.i, 4)', 'needs a whole number'],
    ['optional.of(1).optFlatMap(x, x)', 'with arguments that the function does not accept'],
    ['input.l.all(i, v, i < v)', 'has two variables'],
  ])('%s fails, because it %s', (source, reason) => {
    expect(failureOf(source, { ...INPUT, n: 's' }).message).toContain(reason);
  });

  it.each([
    ['.5 + input.i', '`0.5`'],
    ['br"a"', 'without `r`'],
    ['{?"a": input.?i}', '`x.orValue(…)`'],
    ['[?input.?i]', '`x.orValue(…)`'],
    ['input.`a-b`', '`x["a-b"]`'],
    ['input.l.transformList(i, v, v)', '`map`'],
  ])('%s is not available, and the error names %s', (source, alternative) => {
    expect(failureOf(source, INPUT).suggestion).toContain(alternative);
  });

  it.each(['now()', 'time.now()', 'today()'])('%s is answered with the start of the run', (source) => {
    expect(failureOf(source).suggestion).toContain('run.started_at');
  });
});

describe('an error about a truncated output', () => {
  it.each([
    ['size(steps.a.output.items)', { truncated: true, bytes: 1_300_000, sha256: 'x', text: '{' }, 'has 1300000 bytes'],
    ['steps.a.output.rows[9]', { truncated: true, rows: [], row_count: 0 }, '`steps.a.output` is truncated.'],
  ])('of %s says so first, and does not offer `has`', (source, output, words) => {
    const expression = compileExpression(source, { names: new Set(['steps']), isTrusted: true });
    const failing = (): unknown => expression.evaluate({ steps: { a: { output } } });
    expect(failing).toThrow(expect.objectContaining({ message: expect.stringContaining(words) }));
    expect(failing).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^`steps\.a\.output` is truncated/),
        suggestion: expect.stringContaining('smaller pages'),
      }),
    );
  });
});
