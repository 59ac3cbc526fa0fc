import { readdirSync, readFileSync } from 'node:fs';
import { parseDefinition } from './index.js';
import { LIMITS } from './testing/limits.js';

const FOLDER = 'test/fixtures/agents';

describe('the examples', () => {
  it.each(readdirSync(FOLDER))('%s is a definition that nothing is to be said about', (file) => {
    const parsed = parseDefinition(readFileSync(`${FOLDER}/${file}`, 'utf8'), 'yaml', LIMITS);
    expect(parsed.ok ? parsed.warnings : parsed.errors).toEqual([]);
    expect(parsed.ok).toBe(true);
  });
});
