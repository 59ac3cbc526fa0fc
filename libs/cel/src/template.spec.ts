import { ExpressionError } from './expression.js';
import { compileTemplate } from './template.js';

const scope = { names: new Set(['input']) };
const input = {
  n: 3,
  whole: 3.0,
  text: 'hi',
  list: [1, 'a'],
  object: { a: null },
  nothing: null,
  yes: true,
  half: '"a\\ud83d"',
};

const evaluate = (source: Parameters<typeof compileTemplate>[0]) => compileTemplate(source, scope).evaluate({ input });

describe('a template', () => {
  it('keeps the type of an expression that stands alone', () => {
    expect(
      evaluate({ a: '${{ input.n }}', b: ['${{ input.list }}'], c: '  ${{ input.object }}\n', d: 'plain' }),
    ).toEqual({
      a: 3,
      b: [[1, 'a']],
      c: { a: null },
      d: 'plain',
    });
  });

  it('gives null for an expression that gives null, at any place', () => {
    const nothing = '${{ input.?missing }}';
    expect(evaluate([nothing, '${{ input.n }}', 'plain'])).toEqual([null, 3, 'plain']);
    expect(evaluate({ a: [[nothing], { b: nothing }, null], c: '${{ input.nothing }}' })).toEqual({
      a: [[null], { b: null }, null],
      c: null,
    });
  });

  it('writes expressions inside text as text', () => {
    expect(evaluate('n=${{ input.n }} whole=${{ input.whole }} t=${{ input.text }}${{ input.yes }}')).toBe(
      'n=3 whole=3 t=hitrue',
    );
    expect(evaluate('l=${{ input.list }} o=${{ input.object }} z=${{ input.nothing }}')).toBe(
      'l=[1,"a"] o={"a":null} z=null',
    );
  });

  it('gives texts that can be stored: half of an emoji and a NUL become U+FFFD', () => {
    expect(evaluate('${{ json.decode(input.half) }}')).toBe('a\ufffd');
    expect(evaluate("${{ ['a\\u0000', {'b\\u0000': 1}] }}")).toEqual(['a\ufffd', { 'b\ufffd': 1 }]);
  });

  it('ends an expression at its own braces, not at those inside texts and maps', () => {
    expect(evaluate('${{ {"a": {"b": "}}"}} }}')).toEqual({ a: { b: '}}' } });
    expect(evaluate("x ${{ '\\'}}' }} y")).toBe("x '}} y");
  });

  it('without expressions is constant and given back as it is', () => {
    const source = { a: ['b', { c: 1 }], d: '$ { } }}' };
    const template = compileTemplate(source, scope);
    expect(template.isConstant).toBe(true);
    expect(template.evaluate({})).toBe(source);
  });

  it('does not evaluate what comes out of the data', () => {
    const sneaky = compileTemplate('${{ input.text }}', scope).evaluate({ input: { text: '${{ input.n }}' } });
    expect(sneaky).toBe('${{ input.n }}');
  });

  it('that is not closed is refused', () => {
    expect(() => compileTemplate('a ${{ input.n', scope)).toThrow(ExpressionError);
    expect(() => compileTemplate('${{ "}} }}'.slice(0, 8), scope)).toThrow(ExpressionError);
  });

  it('reports each bad text with its path when asked to continue', () => {
    const found: string[] = [];
    compileTemplate({ a: ['${{ foo }}'], b: { c: '${{ bar }}' }, d: '${{ input.n }}' }, scope, (path) =>
      found.push(path.join('.')),
    );
    expect(found).toEqual(['a.0', 'b.c']);
  });

  it('lets its expressions share one budget, so that many of them cannot hold the thread', () => {
    const many = (count: number) =>
      Array.from(
        { length: count },
        (_, n) => `\${{ input.list.exists(a, input.list.exists(b, a + b == -${n + 1}.0)) }}`,
      );
    const numbers = { input: { list: Array.from({ length: 100 }, (_, n) => n) } };
    expect(compileTemplate(many(2), scope).evaluate(numbers)).toEqual([false, false]);
    expect(() => compileTemplate(many(20), scope).evaluate(numbers)).toThrow(
      expect.objectContaining({
        code: 'cost',
        message: expect.stringContaining('the other expressions of the same value or call'),
      }),
    );
  });

  it('bounds the size of what its expressions give together, in texts too', () => {
    const data = { input: { text: 'x'.repeat(1_000_000), list: Array.from({ length: 200_000 }, () => 1_000) } };
    const copies = (source: string) => Array.from({ length: 12 }, () => source);
    const tooLarge = expect.objectContaining({ code: 'cost', message: expect.stringContaining('characters') });
    expect(() => compileTemplate(copies('${{ input.text }}'), scope).evaluate(data)).toThrow(tooLarge);
    expect(() => compileTemplate(copies('${{ input.text }}').join(' '), scope).evaluate(data)).toThrow(tooLarge);
    expect(() => compileTemplate(copies('${{ input.list }}').join(' '), scope).evaluate(data)).toThrow(tooLarge);
  });
});
