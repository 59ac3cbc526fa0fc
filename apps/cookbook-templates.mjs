import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../docs/cookbook');
const MODULE = 'virtual:cookbook';
const RESOLVED = `\0${MODULE}`;

/**
 * A Vite plugin with the module `virtual:cookbook`, which lists the agents of docs/cookbook. The title of an agent is
 * the heading of the agent's page. The files of an agent are the definitions to which this page links.
 */
export function cookbookTemplates() {
  return {
    name: 'cookbook-templates',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load: async (id) =>
      id === RESOLVED ? `export const cookbook = ${JSON.stringify(await readTemplates())};` : undefined,
  };
}

async function readTemplates() {
  const pages = (await readdir(FOLDER)).filter((file) => file.endsWith('.md') && file !== 'README.md').sort();
  return Promise.all(
    pages.map(async (page) => {
      const text = await readFile(join(FOLDER, page), 'utf8');
      const [, title] = /^# (.+)$/m.exec(text);
      const files = [...new Set(Array.from(text.matchAll(/\]\(([a-z-]+\.yaml)\)/g), ([, file]) => file))];
      if (files.length === 0) throw new Error(`docs/cookbook/${page} links to no definition.`);
      return { name: page.replace('.md', ''), title, files: await Promise.all(files.map(readTemplate)) };
    }),
  );
}

async function readTemplate(file) {
  return { file, text: await readFile(join(FOLDER, file), 'utf8') };
}
