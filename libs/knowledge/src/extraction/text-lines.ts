/** Builds clean text out of pieces: blocks stand apart by an empty line, white space within them is one space. */
export class TextLines {
  private readonly blocks: string[] = [];
  private line = '';
  private prefix = '';
  /** Characters of finished blocks. */
  length = 0;

  /** Text of a flow: its white space is not meant. */
  flow(text: string): void {
    const words = text.replace(/[\s\u00a0]+/g, ' ');
    this.line += this.line === '' || this.line.endsWith(' ') || this.line.endsWith('\n') ? words.trimStart() : words;
  }

  /** Text whose white space is meant. */
  verbatim(text: string): void {
    this.line += text;
  }

  /** A new line of the same block. */
  breakLine(): void {
    this.line = this.line.trimEnd();
    if (this.line !== '') this.line += '\n';
  }

  /** Ends the block; the next one begins with `prefix`. */
  block(prefix = ''): void {
    const text = this.line.trimEnd();
    if (text !== '') {
      this.blocks.push(this.prefix + text);
      this.length += text.length;
    }
    this.line = '';
    this.prefix = prefix;
  }

  toString(): string {
    this.block();
    return this.blocks.join('\n\n').replace(/\n{3,}/g, '\n\n');
  }
}
