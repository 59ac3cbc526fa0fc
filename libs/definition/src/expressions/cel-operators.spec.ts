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
