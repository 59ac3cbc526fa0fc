const NOT_SHOWN = new Set(['head', 'script', 'style', 'template', 'title']);
/** Elements that stand on lines of their own. */
const BLOCKS = new Set(
  (
    'address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre ' +
    'section table tr ul'
  ).split(' '),
);
/** The names of U+00A0 to U+00FF, in order; upper and lower case are different letters. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
  'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ' +
  'Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
/** Those that mails use; any other is left as it is written. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(' ').map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries({
    amp: '&',
    apos: "'",
    gt: '>',
    lt: '<',
    quot: '"',
    bull: '•',
    euro: '€',
    hellip: '…',
    trade: '™',
  }),
  ...Object.entries({ ldquo: '“', rdquo: '”', bdquo: '„', lsquo: '‘', rsquo: '’', mdash: '—', ndash: '–', zwnj: '' }),
]);

/**
 * What a reader sees of HTML, as text. One pass without a tree: mails are written by strangers, and a hundred thousand
 * open elements cost a tree builder minutes. It takes as long as the HTML is long.
 */
export function htmlText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    if (end > at) parts.push(decodeEntities(html.slice(at, end)).replace(/\s+/g, ' '));
    if (open === -1) break;
    at = afterMarkup(html, open, parts);
  }
  return tidy(parts.join(''));
}

/** Where the text goes on behind the markup at `open`; the line breaks that it means are added to `parts`. */
function afterMarkup(html: string, open: number, parts: string[]): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open + 4);
  const name = /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 24));
  if (!name) {
    // `<!DOCTYPE …>` and `<?xml …?>`, or a lone `<` that stands for itself.
    if (/[!?/]/.test(html.charAt(open + 1))) return after(html, '>', open);
    parts.push('<');
    return open + 1;
  }
  const [, slash = '', element = ''] = name;
  const tag = element.toLowerCase();
  const end = after(html, '>', open);
  if (BLOCKS.has(tag)) parts.push('\n');
  if (slash === '' && (tag === 'td' || tag === 'th')) parts.push('\t');
  if (slash !== '' || !NOT_SHOWN.has(tag)) return end;
  return after(html, '>', indexOfClosing(html, tag, end));
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

function indexOfClosing(html: string, tag: string, from: number): number {
  const closing = new RegExp(`</${tag}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

function decodeEntities(text: string): string {
  return text.replace(/&(#x?[0-9a-f]{1,7}|[a-z]{2,8});/gi, (written, name: string) => {
    if (!name.startsWith('#')) return ENTITIES.get(name) ?? written;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    return Number.isNaN(code) || code > 0x10ffff ? written : String.fromCodePoint(code);
  });
}

/** At most one empty line in a row, no white space around lines. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}
