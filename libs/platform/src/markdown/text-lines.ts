const LOOKS_LIKE_MARKUP = /^( {0,3})(?=#{1,6}(?:[ \t]|$)|`{3}|~{3})/gm;
const SHORTEST_FENCE = 3;

/** Writes a backslash before each line that Markdown would read as a heading or a code fence (CommonMark 4.2, 4.5). */
export function escapedParagraph(text: string): string {
  return text.replace(LOOKS_LIKE_MARKUP, '$1\\');
}

/**
 * Returns the text as a code block. The fence is longer than every run of backticks in the text. Returns an empty
 * string if the text is empty.
 */
export function fencedCode(text: string): string {
  const code = text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  if (code === '') return '';
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(Math.max(SHORTEST_FENCE, longest + 1));
  return `${fence}\n${code}\n${fence}`;
}

/**
 * Builds Markdown from pieces of text. An empty line separates blocks. White space in a paragraph becomes one space.
 */
export class TextLines {
  private readonly blocks: string[] = [];
  private line = '';
  private prefix = '';
  private isCode = false;
  /** Number of characters of all finished blocks. */
  length = 0;

  /** Appends text. White space is collapsed in a paragraph and kept in code. */
  flow(text: string): void {
    if (this.isCode) {
      this.line += text;
      return;
    }
    const words = text.replace(/[\s\u00a0]+/g, ' ');
    this.line += this.line === '' || this.line.endsWith(' ') || this.line.endsWith('\n') ? words.trimStart() : words;
  }

  breakLine(): void {
    if (!this.isCode) this.line = this.line.trimEnd();
    if (this.line !== '') this.line += '\n';
  }

  /** Begins a new line. Has no effect at the start of a line. */
  startLine(): void {
    if (!this.line.endsWith('\n')) this.breakLine();
  }

  /** Ends the current block. The next block begins with `prefix`. */
  block(prefix = ''): void {
    this.end();
    this.prefix = prefix;
  }

  /** Ends the current block. The next block is code, until {@link block} ends it. */
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
