import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GuideFile {
  /** Path of the Markdown file, relative to the root of the repository. */
  source: string;
  /** Path of the page below `/docs/guides/`. */
  path: string;
  /** Title of the group that contains the page in the navigation. */
  group: string;
  text: string;
}

interface Group {
  title: string;
  pages: string[];
}

export const HOME = '/docs/guides/';

/** Reads the Markdown files that `docs/navigation.json` lists, in the same order. */
export function readGuideFiles(root: string): GuideFile[] {
  const groups = JSON.parse(readFileSync(join(root, 'docs/navigation.json'), 'utf8')) as Group[];
  const named = new Set(groups.flatMap(({ pages }) => pages));
  return groups.flatMap(({ title, pages }) =>
    pages
      .flatMap((page) => (page.endsWith('/*') ? othersIn(root, page.slice(0, -2), named) : [page]))
      // The README.md of a folder in the navigation is optional.
      .filter((source) => existsSync(join(root, source)) || !source.endsWith('/README.md'))
      .map((source) => ({
        source,
        path: pathOf(source),
        group: title,
        text: readFileSync(join(root, source), 'utf8'),
      })),
  );
}

/** Returns the Markdown files of a folder in alphabetical order. Omits files that the navigation names individually. */
function othersIn(root: string, folder: string, named: ReadonlySet<string>): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`)
    .filter((source) => !named.has(source));
}

/**
 * Returns the path of the page of a Markdown file: `decisions/ids` for `docs/decisions/ids.md`, and `sdk` for
 * `packages/sdk/README.md`.
 */
function pathOf(source: string): string {
  return source
    .replace(/^(docs|packages)\//, '')
    .replace(/(\/README)?\.md$/, '')
    .toLowerCase();
}
