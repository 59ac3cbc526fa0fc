import { readdirSync, readFileSync } from 'node:fs';
import { parseDefinition } from './index.js';
import { LIMITS } from './testing/limits.js';

const PAGES = [
  'definitions',
  'expressions',
  'steps',
  'tools',
  'policies-and-approvals',
  'triggers',
  'evaluation',
  'knowledge',
  'models',
];

interface DocumentedDefinition {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

/**
 * Returns the YAML blocks of a page that begin with `name:` and are therefore whole definitions. Other YAML blocks show
 * only parts of definitions.
 */
function definitionsIn(page: string): DocumentedDefinition[] {
  const source = readFileSync(`docs/${page}`, 'utf8');
  return [...source.matchAll(/^```yaml\n(name:[^]*?)^```$/gm)].map(({ 1: text = '', index }) => ({
    page,
    line: source.slice(0, index).split('\n').length,
    text,
  }));
}

const DEFINITIONS = readdirSync('docs')
  .filter((file) => file.endsWith('.md'))
  .flatMap(definitionsIn);

describe('the definitions in the documentation', () => {
  it.each(DEFINITIONS)('docs/$page, line $line, is a definition without errors and warnings', ({ text }) => {
    const parsed = parseDefinition(text, 'yaml', LIMITS);
    expect(parsed.ok ? parsed.warnings : parsed.errors).toEqual([]);
    expect(parsed.ok).toBe(true);
  });

  it.each(PAGES)('docs/%s.md contains a definition', (name) => {
    expect(DEFINITIONS.map(({ page }) => page)).toContain(`${name}.md`);
  });
});
