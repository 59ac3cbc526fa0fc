/** Lines of a paragraph that Markdown would take for a heading or for the fence of a code block (CommonMark 4.2, 4.5). */
const LOOKS_LIKE_MARKUP = /^( {0,3})(?=#{1,6}(?:[ \t]|$)|`{3}|~{3})/gm;
const SHORTEST_FENCE = 3;

/** The text with a backslash before each line that is not meant as a heading or as a fence. */
export function escapedParagraph(text: string): string {
  return text.replace(LOOKS_LIKE_MARKUP, '$1\\');
}

/** The text as a fenced code block, whatever runs of backticks are in it. Empty where there is no text. */
export function fencedCode(text: string): string {
  const code = text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  if (code === '') return '';
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(Math.max(SHORTEST_FENCE, longest + 1));
  return `${fence}\n${code}\n${fence}`;
}

/** Builds Markdown from pieces: an empty line separates blocks, white space within a paragraph is one space. */
export class TextLines {
  private readonly blocks: string[] = [];
  private line = '';
  private prefix = '';
  /** Whether the open block is code. */
  private isCode = false;
  /** Characters of finished blocks. */
  length = 0;

  /** Text of a paragraph: its white space has no meaning. In code, all of it has. */
  flow(text: string): void {
    if (this.isCode) {
      this.line += text;
      return;
    }
    const words = text.replace(/[\s\u00a0]+/g, ' ');
    this.line += this.line === '' || this.line.endsWith(' ') || this.line.endsWith('\n') ? words.trimStart() : words;
  }

  /** A new line of the same block. */
  breakLine(): void {
    if (!this.isCode) this.line = this.line.trimEnd();
    if (this.line !== '') this.line += '\n';
  }

  /** A new line, unless one has just begun. */
  startLine(): void {
    if (!this.line.endsWith('\n')) this.breakLine();
  }

  /** Ends the block; the next one begins with `prefix`. */
  block(prefix = ''): void {
    this.end();
    this.prefix = prefix;
  }

  /** Ends the block; the next one is code until {@link block} ends it. */
  code(): void {
    this.end();
    this.isCode = true;
  }

  toString(): string {
    this.block();
    return this.blocks.join('\n\n').replace(/\n{3,}/g, '\n\n');
  }

  private end(): void {
    const text = this.isCode ? fencedCode(this.line) : this.line.trimEnd();
    if (text !== '') {
      this.blocks.push(this.isCode || this.prefix !== '' ? this.prefix + text : escapedParagraph(text));
      this.length += text.length;
    }
    this.line = '';
    this.prefix = '';
    this.isCode = false;
  }
}
