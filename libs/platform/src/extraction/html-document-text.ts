import { Parser } from 'htmlparser2';
import type { ExtractedText } from './extracted-text.js';
import { TextLines } from '@app/platform/markdown';

/**
 * Links in them are still collected. `head` is not listed because its end tag is optional, and `form` is not listed
 * because it may enclose the whole page.
 */
const SILENT = new Set([
  'script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'canvas', 'audio', 'video',
  'nav', 'footer', 'aside', 'button', 'select', 'textarea', 'dialog', 'title',
]); // prettier-ignore
const BLOCKS = new Set([
  'address', 'article', 'blockquote', 'body', 'caption', 'dd', 'details', 'div', 'dl', 'dt', 'figcaption', 'figure', 'form', 'header',
  'hr', 'li', 'main', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'tbody', 'tfoot', 'thead', 'title', 'tr', 'ul',
]); // prettier-ignore
const BLOCKS_IN_CELLS = new Set(['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'hr']);
const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);
const REFRESH = /^\s*[\d.]+\s*[;,]\s*url\s*=\s*["']?([^"']+)/i;
/** Maximum number of links of one page. */
export const MAX_LINKS = 100_000;
const LEAST_SHARE = 0.1;

type Attributes = Readonly<Record<string, string>>;

/** Extracts the text of a page in one pass without a tree, so that even deep nesting takes only linear time. */
export function htmlDocumentText(html: string, address: string | null): ExtractedText {
  const reading = new PageReading(address);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reading.open(name, attributes),
      ontext: (text) => reading.text(text),
      onclosetag: (name) => reading.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(html);
  return reading.result();
}

class PageReading {
  private readonly all = new TextLines();
  private readonly main = new TextLines();
  private readonly links = new Set<string>();
  private readonly silent: string[] = [];
  private mainDepth = 0;
  private preDepth = 0;
  private cell: { hasText: boolean; isBroken: boolean } | undefined;
  private title = '';
  private firstHeading = '';
  private collecting: 'title' | 'heading' | undefined;
  private canonical: string | null = null;
  private readonly robots: string[] = [];

  constructor(private base: string | null) {}

  open(name: string, attributes: Attributes): void {
    this.note(name, attributes);
    if (this.silent.length > 0 || SILENT.has(name) || isHidden(attributes)) {
      if (!VOID.has(name)) this.silent.push(name);
      return;
    }
    if (name === 'main' || name === 'article') this.mainDepth += 1;
    if (this.preDepth > 0) this.openInCode(name);
    else this.openBlock(name);
  }

  text(text: string): void {
    if (this.collecting === 'title') this.title += text;
    if (this.silent.length > 0) return;
    if (this.collecting === 'heading') this.firstHeading += text;
    if (this.cell && this.preDepth === 0 && !this.continueCell(this.cell, text)) return;
    this.each((lines) => lines.flow(text));
  }

  close(name: string): void {
    if (name === 'title') this.collecting = undefined;
    if (this.silent.length > 0) {
      if (this.silent.at(-1) === name) this.silent.pop();
      return;
    }
    if (this.preDepth > 0) {
      this.closeInCode(name);
    } else if (headingLevel(name) > 0) {
      if (this.collecting === 'heading') this.collecting = undefined;
      this.each((lines) => lines.block());
    } else if (name === 'td' || name === 'th') this.cell = undefined;
    else if (BLOCKS.has(name)) this.startBlock(name);
    if (name === 'main' || name === 'article') this.mainDepth = Math.max(0, this.mainDepth - 1);
  }

  result(): ExtractedText {
    const [all, main] = [this.all.toString(), this.main.toString()];
    const title = tidy(this.title) || tidy(this.firstHeading) || null;
    const text = main.length > all.length * LEAST_SHARE ? main : all;
    return { title, text, links: [...this.links], canonical: this.canonical, robots: this.robots };
  }

  private openBlock(name: string): void {
    const level = headingLevel(name);
    if (level > 0) {
      this.each((lines) => lines.block(`${'#'.repeat(level)} `));
      if (this.firstHeading === '') this.collecting = 'heading';
    } else if (name === 'li' && !this.cell) this.each((lines) => lines.block('- '));
    else if (name === 'br') this.each((lines) => lines.breakLine());
    else if (name === 'td' || name === 'th') {
      this.cell = { hasText: false, isBroken: false };
      this.each((lines) => lines.flow(' | '));
    } else if (name === 'pre') {
      this.preDepth = 1;
      this.each((lines) => lines.code());
    } else if (BLOCKS.has(name)) this.startBlock(name);
  }

  /** In the cell of a table, blocks such as paragraphs become lines, so that a row stays together. */
  private startBlock(name: string): void {
    if (this.cell && !BLOCKS_IN_CELLS.has(name)) {
      this.cell.isBroken = true;
      return;
    }
    this.cell = undefined;
    this.each((lines) => lines.block());
  }

  private continueCell(cell: { hasText: boolean; isBroken: boolean }, text: string): boolean {
    if (text.trim() === '') return !cell.isBroken;
    if (cell.isBroken && cell.hasText) this.each((lines) => lines.startLine());
    cell.isBroken = false;
    cell.hasText = true;
    return true;
  }

  private openInCode(name: string): void {
    if (name === 'pre') this.preDepth += 1;
    else if (name === 'br') this.each((lines) => lines.breakLine());
    else if (BLOCKS.has(name) || headingLevel(name) > 0) this.each((lines) => lines.startLine());
  }

  private closeInCode(name: string): void {
    if (name === 'pre') this.preDepth -= 1;
    if (this.preDepth === 0) this.each((lines) => lines.block());
    else if (BLOCKS.has(name) || headingLevel(name) > 0) this.each((lines) => lines.startLine());
  }

  private each(change: (lines: TextLines) => void): void {
    change(this.all);
    if (this.mainDepth > 0) change(this.main);
  }

  private note(name: string, attributes: Attributes): void {
    if (name === 'title' && this.title === '') this.collecting = 'title';
    if (name === 'base' && attributes.href) this.base = this.absolute(attributes.href) ?? this.base;
    if ((name === 'a' || name === 'area') && attributes.href) this.link(attributes);
    if (name === 'link' && attributes.href && words(attributes.rel).includes('canonical'))
      this.canonical ??= this.absolute(attributes.href) ?? null;
    if (name === 'meta') this.noteMeta(attributes);
  }

  private noteMeta({ name = '', content = '', 'http-equiv': header = '' }: Attributes): void {
    const sentTo = header.toLowerCase() === 'refresh' ? REFRESH.exec(content)?.[1] : undefined;
    if (sentTo !== undefined) this.link({ href: sentTo });
    if (name.toLowerCase() !== 'robots') return;
    this.robots.push(...content.toLowerCase().split(/[\s,]+/).filter(Boolean)); // prettier-ignore
  }

  private link({ href, rel }: Attributes): void {
    if (this.links.size >= MAX_LINKS || words(rel).includes('nofollow')) return;
    const target = this.absolute(href ?? '');
    if (target !== undefined) this.links.add(target);
  }

  private absolute(href: string): string | undefined {
    const text = href.trim();
    if (!URL.canParse(text, this.base ?? undefined)) return undefined;
    const url = new URL(text, this.base ?? undefined);
    url.hash = '';
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
  }
}

function isHidden({ hidden, role, 'aria-hidden': fromReaders }: Attributes): boolean {
  return hidden !== undefined || fromReaders === 'true' || role === 'navigation';
}

function headingLevel(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
}

function words(list: string | undefined): string[] {
  return (list ?? '').toLowerCase().split(/\s+/);
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 500);
}
