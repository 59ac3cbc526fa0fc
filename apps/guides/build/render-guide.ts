import GithubSlugger from 'github-slugger';
import MarkdownIt, { type Token } from 'markdown-it';
import type { GuideFile } from './guide-files.js';
import type { GuideLinks } from './guide-links.js';

export interface Heading {
  level: number;
  id: string;
  text: string;
}

/** The text below one heading, for the search index. */
export interface Section {
  heading: Heading;
  text: string;
}

export interface RenderedGuide extends GuideFile {
  title: string;
  /** The first sentence of the page. */
  summary: string;
  html: string;
  headings: Heading[];
  sections: Section[];
}

const SUMMARY = /^(?:After reading this page you (?:can|know) )?(.+?[.:])(?:\s|$)/s;

/** Markdown renderer that removes HTML comments. It escapes other raw HTML. */
const markdown = new MarkdownIt({ html: true });
const { escapeHtml } = markdown.utils;
const escapeRawHtml = (tokens: Token[], index: number): string => {
  const content = tokens[index]?.content ?? '';
  return content.startsWith('<!--') ? '' : escapeHtml(content);
};
markdown.renderer.rules.html_block = escapeRawHtml;
markdown.renderer.rules.html_inline = escapeRawHtml;
// Wide tables and code blocks scroll sideways. They are focusable, so that a person can scroll them with the keyboard.
markdown.renderer.rules.table_open = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';
markdown.renderer.rules.fence = (tokens, index) =>
  `<pre tabindex="0"><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`;
markdown.renderer.rules.heading_close = (tokens, index) => {
  const id = tokens[index]?.meta?.id;
  const tag = tokens[index]?.tag ?? '';
  if (typeof id !== 'string' || tag === 'h1') return `</${tag}>\n`;
  return ` <a class="anchor" href="#${escapeHtml(id)}" aria-label="Link to this section">#</a></${tag}>\n`;
};

/** Renders one Markdown file. Headings get the same ids as on code hosts such as GitHub. */
export function renderGuide(file: GuideFile, links: GuideLinks): RenderedGuide {
  const tokens = markdown.parse(file.text, {});
  const headings = identifyHeadings(tokens);
  for (const { children } of tokens) resolveLinks(children ?? [], (target) => links.resolve(file.source, target));
  const firstParagraph = tokens.findIndex(({ type }) => type === 'paragraph_open');
  const lead = textOf(tokens[firstParagraph + 1]);
  const [, summary = lead] = SUMMARY.exec(lead) ?? [];
  return {
    ...file,
    title: headings[0]?.text ?? file.path,
    summary: summary.charAt(0).toUpperCase() + summary.slice(1).replace(/:$/, '.'),
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings,
    sections: sectionsOf(tokens, headings),
  };
}

/** Gives each heading its id, and returns the headings in order. */
function identifyHeadings(tokens: Token[]): Heading[] {
  const slugger = new GithubSlugger();
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const text = textOf(tokens[index + 1]);
    const id = slugger.slug(text);
    token.attrSet('id', id);
    const close = tokens[index + 2];
    if (close) close.meta = { id };
    return [{ level: Number(token.tag.slice(1)), id, text }];
  });
}

/**
 * Replaces the targets of links and images by URLs of the service. A link to a target that the service does not serve
 * becomes plain text.
 */
function resolveLinks(tokens: Token[], resolve: (target: string) => string | undefined): void {
  let isUnwrapping = false;
  for (const token of tokens) {
    if (token.type === 'image') {
      token.attrSet('src', resolve(String(token.attrGet('src'))) ?? '');
      token.attrSet('loading', 'lazy');
    } else if (token.type === 'link_open') {
      const address = resolve(String(token.attrGet('href')));
      isUnwrapping = address === undefined;
      if (address === undefined) token.type = 'text';
      else token.attrSet('href', address);
    } else if (token.type === 'link_close' && isUnwrapping) {
      token.type = 'text';
      isUnwrapping = false;
    }
  }
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: { heading: Heading; parts: string[] }[] = [];
  const unread = [...headings];
  let isTableHead = false;
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const heading = unread.shift();
      if (heading) sections.push({ heading, parts: [] });
    } else if (token.tag === 'thead') isTableHead = token.nesting === 1;
    // The headings of table columns are not indexed. They are of little use in the excerpt of a search result.
    else if (!isTableHead && tokens[index - 1]?.type !== 'heading_open') {
      const text = token.type === 'fence' || token.type === 'code_block' ? token.content : textOf(token);
      if (text !== '') sections.at(-1)?.parts.push(text);
    }
  });
  return sections.map(({ heading, parts }) => ({ heading, text: parts.join(' ').replace(/\s+/g, ' ').trim() }));
}

/** Returns the text of an inline token without markup. */
function textOf(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => {
      if (type === 'softbreak' || type === 'hardbreak') return ' ';
      return type === 'text' || type === 'code_inline' ? content : '';
    })
    .join('');
}
