import { readdirSync, readFileSync } from 'node:fs';
import { parseDefinition } from './index.js';
import { LIMITS } from './testing/limits.js';

/** The examples of the README, and the templates that the editor of the console offers. */
const FOLDERS = ['test/fixtures/agents', 'apps/console/src/editor/templates'];
const FILES = FOLDERS.flatMap((folder) => readdirSync(folder).map((file) => `${folder}/${file}`));

describe('the examples', () => {
  it.each(FILES)('%s is a definition without errors and warnings', (file) => {
    const parsed = parseDefinition(readFileSync(file, 'utf8'), 'yaml', LIMITS);
    expect(parsed.ok ? parsed.warnings : parsed.errors).toEqual([]);
    expect(parsed.ok).toBe(true);
  });
});
