import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

const NOT_SHOWN = new Set(['head', 'script', 'style', 'template', 'title']);
const BLOCKS = new Set(
  (
    'address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre ' +
    'section table tr ul'
  ).split(' '),
);
const ZERO_WIDTH_NON_JOINER = 0x200c;

const ignore = (): void => undefined;

/**
 * Uses only the tokenizer of the parser, whose time is linear in the length of the HTML. The time of the full parser
 * grows with the square of the number of unclosed elements.
 */
export function htmlText(html: string): string {
  const parts: string[] = [];
  let flowing = '';
  let hidden: string | undefined;

  const breakWith = (mark: string): void => {
    parts.push(flowing.replace(/\s+/g, ' '), mark);
    flowing = '';
  };
  const nameAt = (start: number, end: number): string => html.slice(start, end).toLowerCase();
  const open = (start: number, end: number): void => {
    if (hidden !== undefined) return;
    const name = nameAt(start, end);
    if (NOT_SHOWN.has(name)) hidden = name;
    else if (BLOCKS.has(name)) breakWith('\n');
    else if (name === 'td' || name === 'th') breakWith('\t');
  };
  const close = (start: number, end: number): void => {
    const name = nameAt(start, end);
    if (hidden === name) hidden = undefined;
    else if (hidden === undefined && BLOCKS.has(name)) breakWith('\n');
  };
  const addText = (text: string): void => {
    if (hidden === undefined) flowing += text;
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname: open,
    onclosetag: close,
    ontext: (start, end) => addText(html.slice(start, end)),
    ontextentity: (code) => addText(code === ZERO_WIDTH_NON_JOINER ? '' : String.fromCodePoint(code)),
    onend: () => breakWith(''),
    onattribdata: ignore,
    onattribentity: ignore,
    onattribend: ignore,
    onattribname: ignore,
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onopentagend: ignore,
    onprocessinginstruction: ignore,
    onselfclosingtag: ignore,
  };
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  return tidy(parts.join(''));
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}
