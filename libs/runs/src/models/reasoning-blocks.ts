/** A block at the beginning of a response. Servers of local models send reasoning as text in such blocks. */
const BLOCK_BEGINS = /^\s*<think(?:ing)?>/i;
/** Code of Markdown, or a block that need not be closed. Code comes first, because a block inside it is an example. */
const CODE_OR_BLOCK = /```[\s\S]*?(?:```|$)|`[^`\n]*`|<think(?:ing)?>([\s\S]*?)(?:<\/think(?:ing)?>|$)/gi;
/** Some chat templates put the opening tag into the prompt, so the response contains only the closing one. */
const CLOSING_LINE = /^[ \t]*<\/think(?:ing)?>[ \t]*\r?$/im;

/** Reads blocks only if the response begins with one. In other responses, the tags are part of the answer. */
export function withoutReasoning(response: string): { text: string; reasoning: string } {
  if (!BLOCK_BEGINS.test(response)) return withoutBegunReasoning(response);
  const blocks: string[] = [];
  const text = response.replace(CODE_OR_BLOCK, (whole, inner: string | undefined) => {
    if (inner !== undefined) blocks.push(inner.trim());
    return inner === undefined ? whole : '';
  });
  return { text: text.trim(), reasoning: blocks.join('\n') };
}

function withoutBegunReasoning(response: string): { text: string; reasoning: string } {
  const closing = CLOSING_LINE.exec(response);
  const before = closing ? response.slice(0, closing.index) : '';
  const isCode = before.split('```').length % 2 === 0;
  if (!closing || isCode || /<think(?:ing)?>/i.test(before)) return { text: response, reasoning: '' };
  return { text: response.slice(closing.index + closing[0].length).trim(), reasoning: before.trim() };
}

const MAX_TAG = '</thinking>'.length;

export class StreamedAnswer {
  private waiting = '';
  private state: 'begin' | 'block' | 'answer' = 'begin';

  add(piece: string): string {
    if (this.state === 'answer') return piece;
    this.waiting += piece;
    while (this.state !== 'answer') {
      const isBlock: boolean = this.state === 'block';
      const tag = (isBlock ? /<\/think(?:ing)?>/i : BLOCK_BEGINS).exec(this.waiting);
      if (tag) {
        this.waiting = this.waiting.slice(tag.index + tag[0].length);
        this.state = isBlock ? 'begin' : 'block';
      } else if (isBlock) {
        this.waiting = this.waiting.slice(-MAX_TAG);
        return '';
      } else {
        const begun = this.waiting.trimStart().toLowerCase();
        if ('<thinking>'.startsWith(begun) || '<think>'.startsWith(begun)) return '';
        this.state = 'answer';
      }
    }
    return this.waiting;
  }
}
