const LOOKS_LIKE_MARKUP = /^( {0,3})(?=#{1,6}(?:[ \t]|$)|`{3}|~{3})/gm;
const SHORTEST_FENCE = 3;

export function escapedParagraph(text: string): string {
  return text.replace(LOOKS_LIKE_MARKUP, '$1\\');
}

/** The fence is longer than every run of backticks in the text. */
export function fencedCode(text: string): string {
  const code = text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  if (code === '') return '';
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(Math.max(SHORTEST_FENCE, longest + 1));
  return `${fence}\n${code}\n${fence}`;
}

export class TextLines {
  private readonly blocks: string[] = [];
  private line = '';
  private prefix = '';
  private isCode = false;
  length = 0;

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

  /** Has no effect at the start of a line. */
  startLine(): void {
    if (!this.line.endsWith('\n')) this.breakLine();
  }

  /** The next block begins with `prefix`. */
  block(prefix = ''): void {
    this.end();
    this.prefix = prefix;
  }

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
