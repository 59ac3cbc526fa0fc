import { parseDefinition } from '../parse-definition.js';
import { LIMITS } from '../testing/limits.js';

const AT = '/steps/0/code';
const FUNCTION = 'export default ({ a }) => a';

function parsed(code: object, more: object = {}) {
  return parseDefinition(JSON.stringify({ name: 'x', steps: [{ id: 'score', code, ...more }] }), 'json', LIMITS);
}

function errorsOf(code: object): [string, string][] {
  const result = parsed(code);
  return result.ok ? [] : result.errors.map(({ pointer, detail }): [string, string] => [pointer, detail]);
}

describe('a definition with a code step', () => {
  it('is accepted, with the default limits', () => {
    const result = parsed({ language: 'javascript', with: { a: '${{ input.a }}' }, source: FUNCTION });
    expect(result).toMatchObject({ ok: true, warnings: [] });
    const limits = { memoryBytes: 67_108_864, timeMs: 5_000 };
    expect(result.ok && result.compiled.steps).toMatchObject([{ kind: 'code', source: FUNCTION, limits }]);
  });

  it.each([
    ['an async function', 'export default async function (input) { return await input; }'],
    ['a function of another name', 'const f = (input) => input;\nexport { f as default };'],
    ['a function that is made', 'const make = () => (input) => input;\nexport default make();'],
    ['further exports', 'export const a = 1;\nexport default () => a;'],
    ['recent syntax', 'export default ({ a }) => { class A { #b = a?.b ?? 1; static { } get b() { return this.#b; } } return new A().b ** 2; }'],
    ['a regular expression with properties', 'export default () => /\\p{L}+/v.test("ä")'],
  ])('is accepted with %s', (_what, source) => {
    expect(errorsOf({ source })).toEqual([]);
  }); // prettier-ignore

  it.each([
    ['a syntax error', 'export default ({ a }) => {\n  return a +;\n}', 'Syntax error in line 2 of `source`, column 13: Unexpected token.'],
    ['no default export', 'export const f = () => 1;', '`source` has no default export.'],
    ['a value as its default export', '\nexport default { a: 1 };', 'The default export in line 2 of `source` is not a function.'],
    ['an import', 'import fs from "node:fs";\nexport default () => fs;', 'Line 1 of `source` has an import.'],
    ['a dynamic import', 'export default () =>\n  import("node:fs");', 'Line 2 of `source` has an import.'],
    ['an export from another module', 'export * from "a";\nexport default () => 1;', 'Line 1 of `source` has an import.'],
    ['the address of its module', 'export default () => import.meta.url;', 'Line 1 of `source` has an import.'],
    ['deep nesting', `export default () => ${'('.repeat(50_000)}1${')'.repeat(50_000)}`, '`source` is nested too deeply.'],
  ])('is refused with %s', (_what, source, detail) => {
    expect(errorsOf({ source })).toEqual([[`${AT}/source`, detail]]);
  }); // prettier-ignore

  it.each([
    [{ memory: '65MiB' }, `${AT}/limits/memory`],
    [{ memory: '1KiB' }, `${AT}/limits/memory`],
    [{ memory: '64MB' }, `${AT}/limits/memory`],
    [{ memory: 64 }, `${AT}/limits/memory`],
    [{ time: '6s' }, `${AT}/limits/time`],
    [{ time: '0ms' }, `${AT}/limits/time`],
    [{ cpu: 1 }, `${AT}/limits/cpu`],
  ])('is refused with the limits %j', (limits, pointer) => {
    expect(errorsOf({ source: FUNCTION, limits }).map(([at]) => at)).toEqual([pointer]);
  });

  it('has the limits that it sets', () => {
    const result = parsed({ source: FUNCTION, limits: { memory: '1024KiB', time: '250ms' } });
    const limits = { memoryBytes: 1_048_576, timeMs: 250 };
    expect(result.ok && result.compiled.steps).toMatchObject([{ limits }]);
  });

  it('is refused with another language, without a source, and with a secret', () => {
    expect(errorsOf({ language: 'python', source: FUNCTION }).map(([at]) => at)).toEqual([`${AT}/language`]);
    expect(errorsOf({ with: {} }).map(([at]) => at)).toEqual([AT]);
    expect(errorsOf({ with: { key: '${{ secrets.KEY }}' }, source: FUNCTION })).toEqual([
      [`${AT}/with/key`, expect.stringContaining('Secrets can only be used in a tool')],
    ]);
  });

  it('warns about expressions in the source, and about keys without effect', () => {
    const warningsOf = (result: ReturnType<typeof parsed>) =>
      result.ok ? result.warnings.map(({ pointer }) => pointer) : result.errors;
    expect(warningsOf(parsed({ source: 'export default () => "${{ input.a }}"' }))).toEqual([`${AT}/source`]);
    expect(warningsOf(parsed({ source: FUNCTION }, { timeout: '1s', retry: { max_attempts: 2 } }))).toEqual([
      '/steps/0/timeout',
      '/steps/0/retry',
    ]);
  });
});
