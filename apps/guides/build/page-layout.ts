import { HOME } from './guide-files.js';
import type { Heading, RenderedGuide } from './render-guide.js';

/** URLs of the built files that each page loads. */
export interface PageAssets {
  script: string;
  style: string;
  icon: string;
  index: string;
}

const INDEX_TITLE = 'Guides';
const FEWEST_CONTENTS = 2;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

/** Returns the start page, which lists all pages by group. */
export function indexPage(guides: readonly RenderedGuide[], assets: PageAssets): string {
  const groups = byGroup(guides).map(
    ([title, pages]) => `<section class="group"><h2>${escape(title)}</h2><dl>
${pages.map(({ path, title: name, summary }) => `<div><dt><a href="${HOME}${path}">${escape(name)}</a></dt><dd>${escape(summary)}</dd></div>`).join('\n')}
</dl></section>`,
  );
  const intro = `<h1>${INDEX_TITLE}</h1>
<p>How to build, run and operate agents with this installation. The <a href="/docs">API reference</a> describes each request.</p>`;
  return page({ title: INDEX_TITLE, path: '', guides, assets, main: `${intro}\n${groups.join('\n')}`, contents: '' });
}

/** Returns the page of one guide, with its table of contents and links to the pages before and after it. */
export function guidePage(guide: RenderedGuide, guides: readonly RenderedGuide[], assets: PageAssets): string {
  const position = guides.indexOf(guide);
  const neighbours = [
    neighbourLink('Previous', 'prev', guides[position - 1]),
    neighbourLink('Next', 'next', guides[position + 1]),
  ];
  return page({
    title: guide.title,
    path: guide.path,
    guides,
    assets,
    main: `<p class="group-name">${escape(guide.group)}</p>
<article>${guide.html}</article>
<nav class="neighbours" aria-label="Previous and next page">${neighbours.join('')}</nav>`,
    contents: contentsOf(guide.headings),
  });
}

function neighbourLink(label: string, relation: string, guide: RenderedGuide | undefined): string {
  if (guide === undefined) return '';
  return `<a rel="${relation}" href="${HOME}${guide.path}"><span>${label}</span>${escape(guide.title)}</a>`;
}

function contentsOf(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < FEWEST_CONTENTS) return '';
  const entries = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escape(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${entries.join('')}</ul></nav>`;
}

function byGroup(guides: readonly RenderedGuide[]): [title: string, pages: RenderedGuide[]][] {
  const titles = [...new Set(guides.map(({ group }) => group))];
  return titles.map((title) => [title, guides.filter(({ group }) => group === title)]);
}

function navigation(guides: readonly RenderedGuide[], path: string): string {
  return byGroup(guides)
    .map(([title, pages]) => {
      const entries = pages.map((guide) => {
        const current = guide.path === path ? ' aria-current="page"' : '';
        return `<li><a href="${HOME}${guide.path}"${current}>${escape(guide.title)}</a></li>`;
      });
      return `<p>${escape(title)}</p><ul>${entries.join('')}</ul>`;
    })
    .join('\n');
}

interface PageParts {
  title: string;
  path: string;
  guides: readonly RenderedGuide[];
  assets: PageAssets;
  main: string;
  contents: string;
}

/**
 * Returns a complete HTML page. The search is hidden until its script runs. The page contains the list of pages twice,
 * for wide and for narrow screens. A person can open the list for narrow screens even if scripts are off.
 */
function page({ title, path, guides, assets, main, contents }: PageParts): string {
  const list = navigation(guides, path);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} – Agent Automation</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="${HOME}"><img src="${assets.icon}" alt="" width="24" height="24">Guides</a>
<div class="search" role="search" data-index="${assets.index}" hidden>
<label class="visually-hidden" for="search">Search the guides</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
<kbd aria-hidden="true">/</kbd>
<div class="results" hidden><p role="status"></p><ol></ol></div>
</div>
<nav class="links" aria-label="Service"><a href="/docs">API reference</a><a href="/console/">Console</a></nav>
</header>
<details class="menu"><summary>All pages</summary><nav aria-label="All pages">${list}</nav></details>
<div class="columns">
<nav class="side" aria-label="Pages">${list}</nav>
<main id="main" tabindex="-1">
${main}
</main>
${contents}
</div>
</body>
</html>
`;
}
