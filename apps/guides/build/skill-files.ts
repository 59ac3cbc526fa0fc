import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const SKILL = 'agent-authoring';

/** Maximum size of a file in JSON, in bytes. `get_guide` returns a file as one result. */
const MAX_PART_BYTES = 24 * 1024;

const OVERVIEW = 'docs/agent-authoring.md';
const PAGES = [
  'definitions',
  'steps',
  'expressions',
  'tools',
  'policies-and-approvals',
  'triggers',
  'models',
  'knowledge',
  'evaluation',
  'errors',
];

interface Reference {
  file: string;
  title: string;
  text: string;
}

/**
 * Returns the skill for coding assistants: a folder with `SKILL.md` and pages of the documentation. The keys are paths
 * below the folder. The service and the CLI offer the same bytes.
 */
export function skillFiles(root: string): Record<string, string> {
  const references = PAGES.flatMap((page) => referencesOf(page, readFileSync(join(root, `docs/${page}.md`), 'utf8')));
  const overview = readFileSync(join(root, OVERVIEW), 'utf8');
  return {
    'SKILL.md': skillPage(overview, references),
    ...Object.fromEntries(references.map(({ file, text }) => [`references/${file}`, text])),
  };
}

function skillPage(overview: string, references: readonly Reference[]): string {
  const [, description = ''] = /^# .+\n\n([^]+?)\n\n/.exec(overview) ?? [];
  const matter = ['---', `name: ${SKILL}`, `description: ${JSON.stringify(oneLine(description))}`, '---', ''];
  const rows = references.map(({ file, title }) => `| [${file}](references/${file}) | ${title} |`);
  const table = ['', '## References', '', '| file | about |', '| --- | --- |', ...rows, ''];
  return [...matter, withoutLinks(overview, 'references/').trimEnd(), ...table].join('\n');
}

/** Splits a page at its headings into files of limited size. */
function referencesOf(page: string, text: string): Reference[] {
  const [, title = page] = /^# (.+)$/m.exec(text) ?? [];
  // The overview lists all references.
  const sections = sectionsOf(withoutLinks(text, '')).filter((section) => !section.startsWith('## See also'));
  const parts = packed(sections);
  return parts.map((part, index) => {
    const number = index === 0 ? '' : `-${index + 1}`;
    const about = parts.length === 1 ? title : `${title}, part ${index + 1} of ${parts.length}: ${headings(part)}`;
    return { file: `${page}${number}.md`, title: about, text: index === 0 ? part : `# ${about}\n\n${part}` };
  });
}

/** A fence may contain lines that look like headings. */
function sectionsOf(text: string): string[] {
  const sections: string[] = [];
  let isFenced = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isFenced = !isFenced;
    if (sections.length === 0 || (!isFenced && /^#{2,3} /.test(line))) sections.push(line);
    else sections.push(`${sections.pop() ?? ''}\n${line}`);
  }
  return sections;
}

function packed(sections: readonly string[]): string[] {
  const parts: string[] = [];
  for (const section of sections) {
    const last = parts.at(-1);
    const joined = last === undefined ? section : `${last}\n${section}`;
    if (last === undefined || Buffer.byteLength(JSON.stringify(joined)) > MAX_PART_BYTES) parts.push(section);
    else parts[parts.length - 1] = joined;
  }
  return parts;
}

function headings(part: string): string {
  return [...part.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading).join(', ') || 'continued';
}

/** Keeps the links between pages of the skill. Other links become plain text, because the folder is used elsewhere. */
function withoutLinks(text: string, folder: string): string {
  return text
    .replace(/<!--[^]*?-->\n?/g, '')
    .replace(/!\[[^\]]*\]\([^)]*\)\n?/g, '')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, words: string, target: string) => {
      if (/^https?:/.test(target)) return whole;
      const [, page] = /^([a-z-]+)\.md(?:#.*)?$/.exec(target) ?? [];
      return page !== undefined && PAGES.includes(page) ? `[${words}](${folder}${page}.md)` : words;
    });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
