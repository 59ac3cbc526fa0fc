import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOTS = ['.env.example', 'CONTRIBUTING.md', 'README.md', 'apps', 'docker', 'docs', 'libs', 'packages', 'test'];
const TEXT = /\.(ts|tsx|mjs|json|md|yaml|yml|txt|css|html|example)$/;
const GENERATED = new Set(['node_modules', 'dist', '.data', 'generated']);
/** Models whose end the vendor has published. People copy examples, so no example may use one. */
const ENDED = [
  /\bgpt-(?:3\.5|4|4o|4\.1|5|5\.1)(?![.\d])(?:-[\w-]+)?\b/,
  /\b(?:openai\/o[134]\b|o[134]-(?:mini|pro|preview))/,
  /\bclaude-(?:instant|[123]\b|(?:opus|sonnet)-4(?!-[6-9])(?:-\d+)?\b)/,
  /\bgemini-[12]\.\d/,
];

const isEnded = (text: string): boolean => ENDED.some((model) => model.test(text));

describe('the names of models in examples', () => {
  it('are those of models without a published end', async () => {
    const repository = join(import.meta.dirname, '../..');
    const files = (await Promise.all(ROOTS.map((path) => filesOf(repository, path)))).flat();
    expect(files.length).toBeGreaterThan(1_000);
    const found: string[] = [];
    for (const path of files) {
      // The table lists the ends of models, so that the service can warn about them.
      if (path === 'test/boundaries/ended-models.int-spec.ts' || path.endsWith('/models.json')) continue;
      const lines = (await readFile(join(repository, path), 'utf8')).split('\n');
      lines.forEach((line, index) => isEnded(line) && found.push(`${path}:${index + 1}`));
    }
    expect(found).toEqual([]);
  });

  it.each(['gpt-5-mini', 'openai/gpt-5', 'gpt-4o-mini', 'gpt-4.1', 'gpt-5.1-codex', 'openai/o3', 'o4-mini'])(
    'that end are found: %s',
    (name) => expect(isEnded(`model: ${name} # x`)).toBe(true),
  );
  it.each(['claude-sonnet-4-5', 'claude-opus-4-1', 'claude-3-haiku', 'gemini-2.5-flash'])(
    'that end are found: %s',
    (name) => expect(isEnded(`model: ${name} # x`)).toBe(true),
  );
  it.each(['gpt-6.1-terra', 'gpt-5.4', 'claude-sonnet-5-5', 'claude-opus-4-7', 'gpt-tokenizer'])(
    'that do not end are allowed: %s',
    (name) => expect(isEnded(`model: ${name} # x`)).toBe(false),
  );
});

async function filesOf(repository: string, path: string): Promise<string[]> {
  if (TEXT.test(path)) return [path];
  const entries = await readdir(join(repository, path), { withFileTypes: true });
  const below = entries
    .filter(({ name }) => !GENERATED.has(name))
    .map((entry) => {
      const inside = `${path}/${entry.name}`;
      if (entry.isDirectory()) return filesOf(repository, inside);
      return Promise.resolve(TEXT.test(entry.name) ? [inside] : []);
    });
  return (await Promise.all(below)).flat();
}
