import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../support/repository-root.js';
import { tierOf } from '../tiers.mjs';

const PATH = /`((?:test|libs|apps)\/[^`]+)`/g;

function filesOf(path: string): string[] {
  if (!statSync(join(REPOSITORY_ROOT, path)).isDirectory()) return [path];
  const names = readdirSync(join(REPOSITORY_ROOT, path), { recursive: true }).map(String);
  return names.map((name) => join(path, name));
}

/** Returns the tiers whose tests prove a guarantee, such as `1, 2`. A guarantee without a test is proved by a check. */
function tiersIn(evidence: string): string {
  const files = [...evidence.matchAll(PATH)].flatMap(([, path = '']) => filesOf(path));
  const tiers = files.map(tierOf).filter((tier) => tier !== undefined);
  return tiers.length === 0 ? 'check' : [...new Set(tiers)].sort().join(', ');
}

describe('docs/guarantees.md', () => {
  it('names for each guarantee the tier of its tests', () => {
    const text = readFileSync(join(REPOSITORY_ROOT, 'docs/guarantees.md'), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| promise'));
    const cells = rows.map((row) => row.split(' | '));
    expect(cells.length).toBeGreaterThan(30);
    expect(cells.map(([promise, , , tier = '']) => [promise, tier.replace(' |', '')])).toEqual(
      cells.map(([promise, , evidence = '']) => [promise, tiersIn(evidence)]),
    );
  });
});
