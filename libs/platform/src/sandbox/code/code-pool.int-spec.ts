import { builtProgram } from '../../../../../test/support/built-program.js';
import { type CodeRequest, type CodeResult, CodePool } from './code-pool.js';

const MIB = 1024 * 1024;
const PROGRAM = builtProgram('libs/platform/src/sandbox/code/code-thread');

const anEndlessRequest = (): CodeRequest => ({
  source: 'export default () => { for (;;); }',
  input: '1',
  memoryBytes: 8 * MIB,
  millis: 600_000,
  maxResultBytes: 10,
  owner: 'ws_a',
});

describe('a pool of threads for code', () => {
  let pool: CodePool;
  const pools: CodePool[] = [];

  const aPool = (settings: { threads?: number; graceMillis?: number } = {}): CodePool => {
    const made = new CodePool({ program: PROGRAM, threads: 1, ...settings });
    pools.push(made);
    return made;
  };

  beforeAll(() => {
    pool = aPool();
  });
  afterAll(() => pools.forEach((each) => each.close()));

  const run = (source: string, input: unknown = {}, more: Partial<CodeRequest> = {}): Promise<CodeResult> =>
    pool.execute({
      source,
      input: JSON.stringify(input),
      memoryBytes: 64 * MIB,
      millis: 5_000,
      maxResultBytes: MIB,
      owner: 'ws_a',
      ...more,
    });
  const valueOf = async (expression: string, input: unknown = {}): Promise<unknown> => {
    const result = await run(`export default (input) => ${expression}`, input);
    return result.kind === 'value' ? (JSON.parse(result.json) as unknown) : result;
  };
  const messageOf = async (source: string): Promise<unknown> => {
    const result = await run(source);
    return result.kind === 'error' ? [result.message, result.line] : result;
  };

  describe('returns', () => {
    it.each([
      ['the result of a function', 'export default ({ a }) => ({ b: a + 1 })', '{"b":2}'],
      ['the result of an async function', 'export default async ({ a }) => { await null; return [a]; }', '[1]'],
      ['the value of a thenable', 'export default ({ a }) => ({ then: (done) => done(a) })', '1'],
      ['null for undefined', 'export default () => {}', 'null'],
      ['null for a number that JSON does not have', 'export default () => 0 / 0', 'null'],
      ['what toJSON returns', 'export default () => ({ toJSON: () => ({ a: 1 }) })', '{"a":1}'],
      ['dates as text', 'export default () => new Date(0)', '"1970-01-01T00:00:00.000Z"'],
      ['the result of a module that waits', 'const one = await Promise.resolve(1); export default () => one', '1'],
      ['what a getter returns', 'export default () => ({ get a() { return 1 } })', '{"a":1}'],
      ['members in their order', 'export default () => ({ b: 1, a: 2 })', '{"b":1,"a":2}'],
      ['the result of a proxy', 'export default () => new Proxy({ a: 1 }, {})', '{"a":1}'],
    ])('%s', async (_what, source, json) => {
      expect(await run(source, { a: 1 })).toMatchObject({ kind: 'value', json });
    });
  });

  describe('has', () => {
    it('only the globals of ECMAScript, without Intl', async () => {
      const names = (await valueOf('Object.getOwnPropertyNames(globalThis)')) as string[];
      const unknown = names.filter((name) => !(name in globalThis));
      expect(unknown.filter((name) => !['Iterator', 'Float16Array'].includes(name))).toEqual([]);
      const host = ['Intl', 'process', 'require', 'fetch', 'setTimeout', 'console', 'performance', 'InternalError'];
      expect(names.filter((name) => host.includes(name))).toEqual([]);
    });

    it.each(['Date()', 'new Date()', 'Date.now()', 'Math.random()', 'new Date(0).constructor.now()', 'Reflect.construct(Date, [])', 'new (class extends Date {})()', 'new (Object.getPrototypeOf(new Date(0)).constructor)()'])(
      'no value of %s',
      async (expression) => {
        const result = await run(`export default () => ${expression}`);
        expect(result).toMatchObject({ kind: 'error', message: expect.stringContaining('is not available'), line: 1 });
      },
    ); // prettier-ignore

    it('dates that do not depend on the machine', async () => {
      expect(await valueOf('new Date(2020, 5, 1, 12).toISOString()')).toBe('2020-06-01T12:00:00.000Z');
      expect(await valueOf('new Date(0).getTimezoneOffset()')).toBe(0);
      expect(await valueOf('[Date.UTC(2020, 0), Date.parse("1970-01-01"), new Date(5) instanceof Date]')).toEqual([
        1_577_836_800_000,
        0,
        true,
      ]);
      expect(await valueOf('[Date.name, Date.length, typeof Date.prototype.getTime]')).toEqual(['Date', 7, 'function']);
    });

    it('nothing of an earlier execution', async () => {
      await run('globalThis.left = 1; Array.prototype.left = 2; JSON.stringify = () => "x"; export default () => 1');
      expect(await valueOf('[typeof left, [].left ?? null, JSON.stringify({ a: 1 })]')).toEqual([
        'undefined',
        null,
        '{"a":1}',
      ]);
    });

    it('no imports, whatever builds them', async () => {
      expect(await run('export default () => import("node:fs")')).toMatchObject({ kind: 'error' });
      expect(await run('export default () => eval("import(\\"node:fs\\")")')).toMatchObject({ kind: 'error' });
      expect(await run('import fs from "node:fs"; export default () => 1')).toMatchObject({ kind: 'error' });
    });
  });

  describe('cannot be left', () => {
    it.each([
      ['the constructor of functions', '({}).constructor.constructor("return typeof process")()'],
      ['the constructor of async functions', '(async () => {}).constructor("return 1") && typeof process'],
      ['an indirect eval', '(0, eval)("typeof process")'],
      ['the receiver of a function', '(function () { return typeof this?.process })()'],
      ['the stack of an error', 'typeof (new Error().stack.process ?? globalThis.process)'],
    ])('by %s', async (_what, expression) => {
      expect(await valueOf(expression)).toBe('undefined');
    });

    it('by changing how its argument is read and its result is written', async () => {
      const source = `
        JSON.parse = () => 'changed';
        JSON.stringify = () => 'not JSON';
        Promise.prototype.then = () => { throw new Error('then'); };
        Object.prototype.toJSON = () => 'every';
        export default (input) => [input];`;
      expect(await run(source, 5)).toMatchObject({ kind: 'value', json: '"every"' });
      expect(await valueOf('1')).toBe(1);
    });
  });

  describe('reports', () => {
    it.each([
      ['the line of an error', '\nexport default ({ a }) => {\n  return a.b.c;\n}', [expect.stringContaining('TypeError: '), 3]],
      ['the line of an error of an async function', '\n\nexport default async () => {\n  await null;\n  throw new RangeError("late");\n}', ['RangeError: late', 5]],
      ['a module that throws', '\nthrow new Error("early");\nexport default () => 1', ['Error: early', 2]],
      ['a value that is no error', 'export default () => { throw "text" }', ['text', null]],
      ['null', 'export default () => { throw null }', ['null', null]],
      ['an error that cannot be read', 'export default () => { throw { get message() { throw 1 } } }', ['[object Object]', null]],
      ['a default export that is no function', 'const a = 1; export { a as default }', ['the default export is not a function', null]],
      ['a promise that never settles', 'export default () => new Promise(() => {})', ['the promise of the function never settles', null]],
      ['a module that never settles', 'await new Promise(() => {}); export default () => 1', ['the promise of the function never settles', null]],
      ['a result in a circle', 'export default () => { const a = {}; a.a = a; return a; }', [expect.stringContaining('circular'), null]],
      ['a result that is a big integer', 'export default () => 1n', [expect.stringContaining('TypeError'), null]],
      ['a result that is a function', 'export default () => () => 1', [expect.stringContaining('is a function'), null]],
      ['a getter that throws', 'export default () => ({\n get a() { throw new Error("get") } })', ['Error: get', 2]],
      ['recursion without an end', 'export default function f() { return f() + 1 }', ['RangeError: the code recursed too deeply', 1]],
      ['a deep text', 'export default () => JSON.parse("[".repeat(1e5))', [expect.stringContaining('too deep'), expect.anything()]],
    ])('%s', async (_what, source, expected) => {
      expect(await messageOf(source)).toEqual(expected);
    }); // prettier-ignore
  });

  describe('limits', () => {
    it.each([
      ['an endless loop', 'export default () => { for (;;); }'],
      ['an endless loop that catches everything', 'export default () => { for (;;) try { for (;;); } catch {} }'],
      ['an endless loop of promises', 'export default async () => { for (;;) await null; }'],
      ['an endless loop at the top of the module', 'for (;;); export default () => 1'],
      ['a regular expression', 'export default () => /^(a+)+$/.test("a".repeat(60) + "b")'],
      ['an endless getter', 'export default () => ({ get a() { for (;;); } })'],
      ['an endless toJSON', 'export default () => ({ toJSON() { for (;;); } })'],
      ['an endless message of an error', 'export default () => { throw { get message() { for (;;); } } }'],
      ['a toJSON that nests without an end', 'export default () => { const a = { toJSON: () => [a] }; return a; }'],
      ['an endless sort', 'export default () => [3, 2, 1].sort(() => { for (;;); })'],
    ])('the time of %s', async (_what, source) => {
      const result = await run(source, {}, { millis: 300 });
      if (source.includes('throw')) expect(result).toMatchObject({ kind: 'error' });
      else expect(result).toMatchObject({ kind: 'limit', limit: 'time' });
      expect(await valueOf('1')).toBe(1);
    });

    it.each([
      ['a growing list', 'export default () => { const a = []; for (;;) a.push({}); }'],
      ['a growing text', 'export default () => { let a = "x"; for (;;) a += a; }'],
      ['a huge text', 'export default () => "x".repeat(2 ** 29)'],
      ['a huge buffer', 'export default () => new Uint8Array(2 ** 30).length'],
      ['a growing map', 'export default () => { const m = new Map(); for (let i = 0; ; i++) m.set(i, [i]); }'],
      ['growing buffers', 'export default () => { const a = []; for (;;) a.push(new Uint8Array(1000)); }'],
      ['a growing closure', 'export default () => { let f = () => 0; for (;;) { const g = f; f = () => g; f.a = new Array(1000).fill(1); } }'],
      ['a growing promise', 'export default async () => { const a = []; for (;;) { a.push(new Array(1000).fill(0)); await null; } }'],
    ])('the memory of %s', async (_what, source) => {
      for (const memoryBytes of [2 * MIB, 64 * MIB]) {
        const result = await run(source, {}, { memoryBytes, millis: 60_000 });
        expect({ ...result, millis: 0 }).toEqual({ kind: 'limit', limit: 'memory', millis: 0 });
      }
      expect(await valueOf('1')).toBe(1);
    }); // prettier-ignore

    it('the size of the result, in bytes', async () => {
      const source = (text: string) => `export default () => '${text}'.repeat(1000)`;
      expect(await run(source('x'), {}, { maxResultBytes: 1_002 })).toMatchObject({ kind: 'value' });
      expect(await run(source('x'), {}, { maxResultBytes: 1_001 })).toMatchObject({ kind: 'limit', limit: 'result' });
      expect(await run(source('ä'), {}, { maxResultBytes: 1_002 })).toMatchObject({ kind: 'limit', limit: 'result' });
    });
  });

  it('executes one request at a time in each thread, in the order of the requests', async () => {
    const order: number[] = [];
    const three = [0, 1, 2].map(async (n) => {
      await run(`export default () => { for (let i = 0; i < 1e5; i++); return ${n}; }`);
      order.push(n);
    });
    await Promise.all(three);
    expect(order).toEqual([0, 1, 2]);
  });

  it('ends an execution and a wait whose signal aborts', async () => {
    const own = aPool();
    const [first, second] = [new AbortController(), new AbortController()];
    const endless = anEndlessRequest();
    const running = expect(own.execute(endless, first.signal)).rejects.toBe('left');
    const waiting = expect(own.execute(endless, second.signal)).rejects.toBe('gone');
    second.abort('gone');
    await waiting;
    first.abort('left');
    await running;
    const after = own.execute({ ...endless, source: 'export default () => 1' });
    expect(await after).toMatchObject({ kind: 'value', json: '1' });
  });

  it('rejects executions in progress when it is closed', async () => {
    const own = aPool();
    const endless = anEndlessRequest();
    const waiting = expect(own.execute(endless)).rejects.toMatchObject({ name: 'SandboxUnavailable' });
    await new Promise((resolve) => setImmediate(resolve));
    own.close();
    await waiting;
  });

  it('gives executions of different owners different memory', async () => {
    for (const owner of ['ws_a', 'ws_b', 'ws_a', 'ws_b'])
      expect(await run('export default (a) => a', 1, { owner })).toMatchObject({ json: '1' });
  });
});
