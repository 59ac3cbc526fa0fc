import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LINT_PLANTS, type LintPlant } from './lint-plants.js';
import { clear, jsonFrom, plant, REPOSITORY } from './plantation.js';

interface Linted {
  filePath: string;
  messages: { ruleId: string | null; line: number; message: string }[];
  suppressedMessages: { ruleId: string; suppressions: { kind: string }[] }[];
}

/** Known violations of each rule by file. The list may only become shorter. */
type Suppressions = Record<string, Record<string, { count: number }>>;

const lint = (root: string): Promise<Linted[]> =>
  jsonFrom(root, `${REPOSITORY}/node_modules/eslint/bin/eslint.js`, '--format', 'json', '.');

/** Prints the blocks of eslint.config.mjs that enable rules of this repository, with the rules of each block. */
const PRINT_PROJECT_BLOCKS = `
  const { default: blocks } = await import('./eslint.config.mjs');
  const own = blocks.filter(({ name }) => name?.startsWith('project/'));
  console.log(JSON.stringify(own.flatMap(({ name, rules }) => Object.keys(rules).map((rule) => name + ': ' + rule))));
`;

const switchedOnBy = ({ block, rule }: LintPlant) => `${block ?? rule}: ${rule}`;

describe('the lint rules', () => {
  let real: Linted[];
  let planted: Linted[];
  let plantation: string;

  beforeAll(async () => {
    plantation = await plant(Object.fromEntries(LINT_PLANTS.map(({ file, source }) => [file, source])));
    [real, planted] = await Promise.all([lint(REPOSITORY), lint(plantation)]);
  }, 1_200_000);

  afterAll(() => clear(plantation));

  it.each(LINT_PLANTS.map((each) => [each.file, switchedOnBy(each), each] as const))(
    'find in %s the violation of %s and nothing else',
    (file, _block, each) => {
      const found = planted.find(({ filePath }) => filePath.endsWith(`/${file}`))?.messages ?? [];
      const expected = Array.from({ length: each.times ?? 1 }, () => each.rule);
      expect(found.map(({ ruleId, message }) => ruleId ?? message)).toEqual(expected);
    },
  );

  it('have a planted violation each', async () => {
    const rules = await jsonFrom<string[]>(REPOSITORY, '--input-type=module', '--eval', PRINT_PROJECT_BLOCKS);
    expect([...new Set(LINT_PLANTS.map(switchedOnBy))].sort()).toEqual([...rules].sort());
  });

  it('find nothing in this repository', () => {
    const found = real.flatMap(({ filePath, messages }) =>
      messages.map(({ ruleId, line, message }) => `${relative(REPOSITORY, filePath)}:${line} ${ruleId ?? message}`),
    );
    expect(found).toEqual([]);
  });

  it('have no known violation that is gone', async () => {
    const known = JSON.parse(await readFile(join(REPOSITORY, 'eslint-suppressions.json'), 'utf8')) as Suppressions;
    const found: Suppressions = {};
    for (const { filePath, suppressedMessages } of real)
      for (const { ruleId, suppressions } of suppressedMessages) {
        if (!suppressions.some(({ kind }) => kind === 'file')) continue;
        const rules = (found[relative(REPOSITORY, filePath)] ??= {});
        (rules[ruleId] ??= { count: 0 }).count++;
      }
    expect(found).toEqual(known);
  });
});
