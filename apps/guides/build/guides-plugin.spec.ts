import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { HOME } from './guide-files.js';
import { GuideLinks } from './guide-links.js';
import { renderGuides } from './guides-plugin.js';
import { renderGuide } from './render-guide.js';

const ROOT = join(import.meta.dirname, '../../..');
const NO_LINKS = new GuideLinks([], new Map());

const guides = renderGuides(ROOT, (image) => `${HOME}${image}`);

function markdownFiles(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));
  const readmes = readdirSync(join(ROOT, 'libs')).map((lib) => `libs/${lib}/README.md`);
  return [
    'README.md',
    'CONTRIBUTING.md',
    'packages/sdk/README.md',
    ...below('docs'),
    ...readmes.filter((path) => existsSync(join(ROOT, path))),
  ];
}

/** Returns the anchors of a Markdown file, and the targets of the links in its text. */
function readMarkdown(source: string): { anchors: Set<string>; targets: string[] } {
  const text = readFileSync(join(ROOT, source), 'utf8');
  const { headings } = renderGuide({ source, path: '', group: '', text }, NO_LINKS);
  const prose = text.replace(/^ *```[^]*?^ *```/gm, '').replace(/`[^`\n]*`/g, '');
  return {
    anchors: new Set(headings.map(({ id }) => id)),
    targets: [...prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => target),
  };
}

describe('the guides of this repository', () => {
  it('include every page in docs once', () => {
    const listed = guides.map(({ source }) => source);
    expect(listed).toHaveLength(new Set(listed).size);
    expect(markdownFiles().filter((path) => path.startsWith('docs/') && !listed.includes(path))).toEqual([]);
  });

  it('link to files and headings that exist, and so do the other Markdown files', () => {
    const files = new Map(markdownFiles().map((source) => [source, readMarkdown(source)]));
    const targets = [...files].flatMap(([source, file]) => file.targets.map((target) => ({ source, target })));
    expect(targets.filter(({ target }) => target.includes('#')).length).toBeGreaterThan(10);
    const broken = targets.filter(({ source, target }) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? source : join(dirname(source), path);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && files.get(file)?.anchors.has(anchor) !== true;
    });
    expect(broken).toEqual([]);
  });

  it('are pages whose links lead to pages and sections that exist', () => {
    const ids = new Map(
      guides.map(({ path, html }) => [HOME + path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const broken = guides.flatMap(({ path, html }) =>
      [...html.matchAll(/href="(?!https?:)([^"]+)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => {
          const [page = '', anchor] = target.split('#');
          if (page === HOME) return false;
          const found = ids.get(page === '' ? HOME + path : page);
          return found === undefined || (anchor !== undefined && !found.has(anchor));
        })
        .map((target) => ({ path, target })),
    );
    expect(broken).toEqual([]);
  });

  it('have images', () => {
    const images = guides.flatMap(({ html }) =>
      [...html.matchAll(/<img src="([^"]*)"/g)].map(([, address]) => address),
    );
    expect(images).not.toEqual([]);
    expect(images).not.toContain('');
  });
});
