import { IMPORT_PLANTS, type ImportPlant, LEGAL_TREE } from './import-plants.js';
import { clear, jsonFrom, plant, REPOSITORY } from './plantation.js';

interface Violation {
  from: string;
  to: string;
  rule: { name: string };
}

interface Cruise {
  modules: { source: string }[];
  summary: { violations: Violation[]; ruleSetUsed: { forbidden: { name: string; from: { path?: string } }[] } };
}

const cruise = (root: string): Promise<Cruise> =>
  jsonFrom(
    root,
    `${REPOSITORY}/node_modules/dependency-cruiser/bin/dependency-cruise.mjs`,
    'apps',
    'libs',
    'packages',
    'test',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
  );

const listed = ({ from, to, rule }: Violation) => `${rule.name}: ${from} → ${to}`;

describe('the import rules', () => {
  let real: Cruise;
  let planted: Cruise;
  let plantation: string;

  beforeAll(async () => {
    plantation = await plant(Object.assign({}, LEGAL_TREE, ...IMPORT_PLANTS.map(({ files }) => files)));
    [real, planted] = await Promise.all([cruise(REPOSITORY), cruise(plantation)]);
  });

  afterAll(() => clear(plantation));

  /**
   * Returns the rules that reported the planted violation. No file imports the planted files, so the rule for dead
   * files reports all of them. These reports are ignored unless the violation is planted for that rule.
   */
  function rulesThatFound({ rule, files }: ImportPlant): string[] {
    const found = planted.summary.violations.filter(({ from }) => from in files).map(({ rule: { name } }) => name);
    return [...new Set(found)].filter((name) => name === rule || name !== 'no-dead-files');
  }

  it.each(
    IMPORT_PLANTS.map((each) => [`${each.rule}${each.how === undefined ? '' : ` (${each.how})`}`, each] as const),
  )('%s finds its planted violation, and no other rule does', (_title, each) => {
    expect(rulesThatFound(each)).toEqual([each.rule]);
  });

  it('have a planted violation each', () => {
    const rules = real.summary.ruleSetUsed.forbidden.map(({ name }) => name);
    expect([...new Set(IMPORT_PLANTS.map(({ rule }) => rule))].sort()).toEqual([...rules].sort());
  });

  it('let every permitted import pass', () => {
    const plantedFiles = new Set(IMPORT_PLANTS.flatMap(({ files }) => Object.keys(files)));
    expect(planted.summary.violations.filter(({ from }) => !plantedFiles.has(from)).map(listed)).toEqual([]);
  });

  it('watch files that exist, so that a renamed folder does not escape them', () => {
    const idle = real.summary.ruleSetUsed.forbidden.filter(
      ({ from }) =>
        from.path !== undefined && !real.modules.some(({ source }) => new RegExp(from.path ?? '').test(source)),
    );
    expect(idle.map(({ name }) => name)).toEqual([]);
  });

  it('find nothing in this repository', () => {
    expect(real.summary.violations.map(listed)).toEqual([]);
  });
});
