/** A planted file that violates one lint rule. Each line that violates the rule is reported once. */
export interface LintPlant {
  rule: string;
  /** The block of eslint.config.mjs that enables the rule. Defaults to the block with the name of the rule. */
  block?: string;
  file: string;
  source: string;
  /** Expected number of reports. Default: 1. */
  times?: number;
}

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');
const constants = (count: number): string => lines(count, (n) => `export const line${n} = ${n};`);
/** Returns a class in three lines. Lint requires it in a file with a role in its name, such as `run.store.ts`. */
const classNamed = (name: string): string => `export class ${name} {\n  id = 1;\n}`;
const longFunction = (statements: number): string =>
  `export function long(take: (n: number) => void): void {\n${lines(statements, (n) => `  take(${n});`)}\n}`;
const decisions = (count: number): string =>
  `export function decide(n: number): number {\n  return ${lines(count, (n) => `n === ${n} ? ${n} :`)} n;\n}`;

const EVERY_FILE = 'project/every-file';

const SIZES: readonly LintPlant[] = [
  { block: EVERY_FILE, rule: 'max-lines', file: 'libs/agents/src/long-file.ts', source: constants(401) },
  {
    block: EVERY_FILE,
    rule: 'max-lines-per-function',
    file: 'libs/agents/src/long-function.ts',
    source: longFunction(59),
  },
  { block: EVERY_FILE, rule: 'complexity', file: 'libs/agents/src/dense.ts', source: decisions(15) },
  {
    block: EVERY_FILE,
    rule: 'max-depth',
    file: 'libs/agents/src/deep.ts',
    source:
      'export function deep(next: () => boolean): void {\n  if (next()) while (next()) if (next()) while (next()) if (next()) next();\n}',
  },
  {
    block: 'project/controllers',
    rule: 'max-lines',
    file: 'apps/api/src/long.controller.ts',
    source: `${classNamed('LongController')}\n${constants(198)}`,
  },
  {
    block: 'project/controllers',
    rule: 'project/short-handlers',
    file: 'apps/api/src/slow.controller.ts',
    source: `export class SlowController {\n  answer(): number {\n${'    this.answer();\n'.repeat(10)}    return 1;\n  }\n}`,
  },
  {
    block: 'project/processors',
    rule: 'max-lines',
    file: 'apps/worker/src/long.processor.ts',
    source: `${classNamed('LongProcessor')}\n${constants(58)}`,
  },
  {
    block: 'project/processors',
    rule: 'complexity',
    file: 'apps/worker/src/dense.processor.ts',
    source: `${classNamed('DenseProcessor')}\n${decisions(3)}`,
  },
  { block: 'project/tests', rule: 'max-lines', file: 'test/e2e/long.e2e-spec.ts', source: constants(501) },
];

const EVERYWHERE: readonly LintPlant[] = [
  {
    block: EVERY_FILE,
    rule: 'project/file-name',
    file: 'libs/agents/src/AgentStore.ts',
    source: 'export const a = 1;',
  },
  {
    block: EVERY_FILE,
    rule: 'project/file-name',
    file: 'libs/agents/src/date-utils.ts',
    source: 'export const a = 1;',
  },
  {
    block: EVERY_FILE,
    rule: 'project/explain-exceptions',
    file: 'libs/agents/src/silent.ts',
    source: '// eslint-disable-next-line no-console\nconsole.log(1);',
  },
  {
    block: EVERY_FILE,
    rule: 'eqeqeq',
    file: 'libs/agents/src/loose.ts',
    source: 'export const same = (a: string, b: string): boolean => a == b;',
  },
  {
    rule: 'project/data-is-text',
    file: 'apps/console/src/raw.ts',
    source: "export function show(node: { innerHTML: string }): void {\n  node.innerHTML = '';\n}",
  },
  { block: EVERY_FILE, rule: 'no-console', file: 'apps/api/src/chatty.ts', source: "console.log('started');" },
  {
    block: EVERY_FILE,
    rule: 'no-warning-comments',
    file: 'libs/agents/src/later.ts',
    source: '// TODO: the rest\nexport const a = 1;',
  },
  {
    block: EVERY_FILE,
    rule: '@typescript-eslint/consistent-type-imports',
    file: 'libs/agents/src/type-import.ts',
    source: "import { Stats } from 'node:fs';\nexport const size = (stats: Stats): number => stats.size;",
  },
  {
    block: EVERY_FILE,
    rule: '@typescript-eslint/explicit-module-boundary-types',
    file: 'libs/agents/src/untold.ts',
    source: 'export function untold() {\n  return 1;\n}',
  },
  {
    block: EVERY_FILE,
    rule: '@typescript-eslint/switch-exhaustiveness-check',
    file: 'libs/agents/src/partial.ts',
    source:
      "export function partial(side: 'a' | 'b'): number {\n  switch (side) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}",
  },
  { rule: 'project/no-enum', file: 'libs/runs/src/colour.ts', source: "export enum Colour {\n  red = 'red',\n}" },
  { rule: 'project/no-default-export', file: 'libs/runs/src/nameless.ts', source: 'export default 1;' },
  { rule: 'project/no-export-star', file: 'libs/runs/src/everything.ts', source: "export * from 'yaml';" },
  {
    rule: 'project/plain-names',
    file: 'libs/runs/src/names.ts',
    source: 'export class RunDto {\n  id = 1;\n}\nexport interface IRun {\n  id: number;\n}',
    times: 2,
  },
  {
    rule: 'project/few-collaborators',
    file: 'libs/runs/src/crowd.ts',
    source: `export class Crowd {\n  constructor(${lines(9, (n) => `readonly p${n}: number,`)}) {}\n}`,
  },
  {
    rule: 'project/no-double-assertion',
    file: 'libs/runs/src/trust.ts',
    source: 'export const asNumber = (text: string): number => text as unknown as number;',
  },
  {
    rule: 'project/no-blind-non-null',
    file: 'libs/runs/src/blind.ts',
    source:
      'export const blind = (map: Map<string, number>, row: { name?: string }): unknown => [map.get("a")!, row.name!];\nexport const seen = (all: readonly number[]): number => all[0]!;',
    times: 2,
  },
  {
    rule: 'project/no-ambient-randomness',
    file: 'libs/platform/src/queue/jitter.ts',
    source: 'export const jitter = (): number => Math.random();',
  },
];

const LIBS: readonly LintPlant[] = [
  {
    rule: 'project/throw-domain-error',
    file: 'libs/runs/src/plain-error.ts',
    source:
      "class OwnError extends Error {}\nexport function fail(n: number): never {\n  if (n === 1) throw new Error('no');\n  if (n === 2) throw new TypeError('no');\n  throw new OwnError('caught nearby');\n}",
    times: 2,
  },
  {
    rule: 'project/no-nest-http',
    file: 'libs/runs/src/http-words.ts',
    source:
      "import { ConflictException, Get, HttpStatus } from '@nestjs/common';\nexport const words = [ConflictException, Get, HttpStatus];",
    times: 3,
  },
  {
    rule: 'project/no-service-location',
    file: 'libs/runs/src/location.ts',
    source:
      "import { forwardRef } from '@nestjs/common';\nimport { ModuleRef } from '@nestjs/core';\nexport const location = [forwardRef, ModuleRef];",
    times: 2,
  },
  {
    rule: 'project/env-in-config-only',
    file: 'apps/worker/src/environment.ts',
    source:
      "import { env as a } from 'node:process';\nconst { env: b } = process;\nexport const environment = [a, b, process.env.HOME];",
    times: 3,
  },
  {
    rule: 'project/constant-time-secrets',
    file: 'libs/workspace/src/compare.ts',
    source: [
      'interface Row {',
      '  webhookSecret: string;',
      '  api_key?: string;',
      '}',
      'export const same = (row: Row, given: string, accessToken: string): boolean[] => [',
      '  row.webhookSecret === given,',
      '  given !== row.api_key,',
      '  accessToken === given,',
      '  given === accessToken,',
      '];',
      '// Asking whether there is one compares nothing.',
      'export const present = (row: Row, secret: unknown): boolean[] => [',
      '  row.api_key !== undefined,',
      "  typeof secret === 'string',",
      "  secret === '',",
      '];',
    ].join('\n'),
    times: 4,
  },
  {
    rule: 'project/no-ambient-clock',
    file: 'libs/events/src/clock.ts',
    source:
      'export const times = (): unknown[] => [Date.now(), new Date(), performance.now(), process.uptime()];\nexport const parsed = (text: string): Date => new Date(text);',
    times: 4,
  },
  {
    rule: 'project/no-ambient-clock',
    file: 'libs/kernel/src/age.ts',
    source: 'export const age = (since: number): number => Date.now() - since;',
  },
  {
    rule: 'project/no-randomness-in-pure-code',
    file: 'libs/runs/src/interpreter/dice.ts',
    source: 'export const dice = (): string => crypto.randomUUID();',
  },
  {
    rule: 'project/no-timers',
    file: 'libs/runs/src/alarm.ts',
    source:
      "import { setTimeout as pause } from 'node:timers/promises';\nexport const alarm = (ring: () => void): unknown => [pause, setTimeout(ring, 1)];",
    times: 2,
  },
  {
    rule: 'project/no-sql-templates',
    file: 'libs/runs/src/search.repository.ts',
    source: [
      'interface Db {',
      '  query(sql: string): void;',
      '}',
      classNamed('SearchRepository'),
      "const COLUMNS = 'id, status';",
      'export function search(db: Db, name: string): void {',
      "  db.query(`select id from runs where name = '${name}'`);",
      "  db.query('select id from runs where name = ' + name);",
      '  db.query(`select ${COLUMNS} from runs`);',
      '}',
    ].join('\n'),
    times: 2,
  },
  {
    rule: 'project/status-in-one-place',
    file: 'apps/api/src/ended.ts',
    source: [
      "type Status = 'queued' | 'running' | 'waiting_approval';",
      'export function ended(run: { status: Status }, runStatus: Status, state: Status): unknown[] {',
      '  switch (run.status) {',
      "    case 'queued':",
      '      return [];',
      '    default:',
      "      return [run.status === 'running', runStatus === 'queued', state === 'waiting_approval'];",
      '  }',
      '}',
      "export const ended2 = (sync: { status: Status }): boolean => sync.status === 'running';",
    ].join('\n'),
    times: 4,
  },
  {
    rule: 'project/no-raw-network',
    file: 'libs/knowledge/src/raw.ts',
    source: [
      "import { connect, isIP, type Socket } from 'node:net';",
      'export const raw = (url: string): unknown[] => [fetch(url), globalThis.fetch, new WebSocket(url), connect, isIP(url)];',
      'export type Line = Socket;',
    ].join('\n'),
    times: 4,
  },
  {
    rule: 'project/no-process-exit',
    file: 'libs/runs/src/exit.ts',
    source: 'export const stop = (): never => process.exit(1);',
  },
];

const EDGES_AND_TESTS: readonly LintPlant[] = [
  {
    rule: 'project/thin-controller',
    file: 'apps/api/src/thick.controller.ts',
    source: [
      classNamed('ThickController'),
      'export function handle(all: readonly number[], wanted: boolean, take: (n: number) => void): number {',
      '  if (wanted) take(1);',
      '  try {',
      '    for (const one of all) take(one);',
      '  } finally {',
      '    take(2);',
      '  }',
      '  return wanted ? 1 : 2;',
      '}',
    ].join('\n'),
    times: 4,
  },
  {
    rule: 'project/processor-does-not-catch',
    file: 'apps/worker/src/careless.processor.ts',
    source: [
      classNamed('CarelessProcessor'),
      'export async function careless(work: () => Promise<void>, log: (e: unknown) => void): Promise<void> {',
      '  await work().catch(log);',
      '  try {',
      '    await work();',
      '  } catch (e) {',
      '    log(e);',
      '  }',
      '}',
    ].join('\n'),
    times: 2,
  },
  {
    rule: 'project/no-focused-test',
    file: 'libs/runs/src/focused.spec.ts',
    source: "it.only('is alone', () => undefined);\nfit('is alone', () => undefined);",
    times: 2,
  },
  {
    rule: 'project/no-module-mock',
    file: 'libs/runs/src/mocked.spec.ts',
    source: "jest.mock('./runs.service.js');\njest.unstable_mockModule('./runs.service.js', () => ({}));",
    times: 2,
  },
  {
    rule: 'project/no-sleep',
    file: 'test/e2e/sleepy.e2e-spec.ts',
    source: [
      "import { setTimeout as sleep } from 'node:timers/promises';",
      "it('sleeps', async () => {",
      '  await new Promise((resolve) => setTimeout(resolve, 100));',
      '  await sleep(100);',
      '});',
    ].join('\n'),
    times: 2,
  },
];

const NAMES: readonly LintPlant[] = [
  ['knowledge/src/search.ts', '@Injectable()\nexport class SearchService {\n  search = 1;\n}'],
  ['knowledge/src/index-words.store.ts', '@Injectable()\nexport class WordStore {\n  words = 1;\n}'],
  ['knowledge/src/chunks.ts', '@Injectable()\nexport class Chunks {\n  chunks = 1;\n}'],
  ['knowledge/src/merge.service.ts', 'export const merge = (a: number, b: number): number => a + b;'],
].map(([file = '', source = '']) => ({
  block: 'project/providers',
  rule: 'project/role-names',
  file: `libs/${file}`,
  source: source.startsWith('@') ? `import { Injectable } from '@nestjs/common';\n${source}` : source,
}));

const LANGUAGE: LintPlant = {
  block: 'project/language',
  rule: 'project/plain-english',
  file: 'libs/runs/src/run-keeper.ts',
  source: [
    '/** What became of a run,',
    ' * told to nobody. A line ending tends to be plain. */',
    "export const text = 'the worker goes' + ' on with whoever is there';",
    'export const title = `it gets\\n on`;',
    `// ${'wide '.repeat(24)}`,
    classNamed('Doorbell'),
  ].join('\n'),
  times: 7,
};

/** Files that break no rule, because their names are allowed. */
const ALLOWED: readonly LintPlant[] = [
  {
    block: 'project/providers',
    rule: 'project/role-names',
    file: 'libs/connectors/src/oauth-drive.connector.ts',
    source:
      "import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class OAuthDriveConnector {\n  id = 1;\n}\nexport class Page {\n  id = 1;\n}",
    times: 0,
  },
];

export const LINT_PLANTS: readonly LintPlant[] = [
  ...SIZES,
  ...EVERYWHERE,
  ...LIBS,
  ...EDGES_AND_TESTS,
  ...NAMES,
  LANGUAGE,
  ...ALLOWED,
];
