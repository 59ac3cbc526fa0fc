/** Letters of one token at most: what byte-pair vocabularies for English average on long words. */
const LETTERS_PER_TOKEN = 6;
const DIGITS_PER_TOKEN = 3;
/** Scripts that such vocabularies know less of: Cyrillic, Greek, Arabic and the like. */
const FOREIGN_LETTERS_PER_TOKEN = 3;
const MARKS_PER_TOKEN = 2;

const SPACE = 0;
const LETTER = 1;
const DIGIT = 2;
const FOREIGN = 3;
/** Every character stands for itself: Chinese, Japanese, Korean, emoji. */
const SINGLE = 4;
const MARK = 5;

/** A longer run is several atoms, so that looking at one costs little. A multiple of all that is below. */
const LONGEST_ATOM = 600;

const PER_TOKEN = [0, LETTERS_PER_TOKEN, DIGITS_PER_TOKEN, FOREIGN_LETTERS_PER_TOKEN, 1, MARKS_PER_TOKEN] as const;

/** By character code, as far as the ranges below tell nothing. */
const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code <= 32) return SPACE;
  const char = String.fromCharCode(code);
  return /[0-9]/.test(char) ? DIGIT : /[A-Za-z]/.test(char) ? LETTER : MARK;
});

function kindOf(code: number): number {
  if (code < 128) return ASCII_KINDS[code] ?? MARK;
  if (code === 0xa0 || code === 0xfeff || (code >= 0x2000 && code <= 0x200b)) return SPACE;
  if (code < 0x250) return LETTER;
  if (code >= 0x2010 && code <= 0x2bff) return MARK;
  return code < 0x2e80 ? FOREIGN : SINGLE;
}

/**
 * Walks a stretch of text in atoms: runs of characters of one kind, with an estimate of the tokens that each takes. An estimate,
 * because every model cuts differently and no outside vocabulary is needed for it; no character costs more than one token, and the
 * work is linear in the text whatever it is. For English prose it is within a tenth of o200k's count.
 */
class TokenAtoms {
  /** Of the current atom. */
  start: number;
  end: number;
  /** Zero for white space. */
  tokens = 0;

  constructor(
    private readonly text: string,
    from: number,
    private readonly to: number,
  ) {
    this.start = from;
    this.end = from;
  }

  /** Goes to the next atom; false at the end. */
  next(): boolean {
    this.start = this.end;
    if (this.start >= this.to) return false;
    const kind = kindOf(this.text.charCodeAt(this.start));
    const limit = Math.min(this.to, this.start + LONGEST_ATOM);
    let end = this.start + 1;
    while (end < limit && kindOf(this.text.charCodeAt(end)) === kind) end += 1;
    this.end = end;
    const each = PER_TOKEN[kind] ?? 1;
    this.tokens = each === 0 ? 0 : Math.ceil((end - this.start) / each);
    return true;
  }
}

/** Tokens of `text.slice(from, to)`, estimated. */
export function tokensIn(text: string, from: number, to: number): number {
  const atoms = new TokenAtoms(text, from, to);
  let sum = 0;
  while (atoms.next()) sum += atoms.tokens;
  return sum;
}

/** Where the longest stretch from `from` on ends that takes `budget` tokens at most: between words, unless one word is longer than that. */
export function endWithin(text: string, from: number, to: number, budget: number): number {
  const atoms = new TokenAtoms(text, from, to);
  let left = budget;
  while (atoms.next()) {
    if (atoms.tokens > left) {
      if (atoms.start > from) return atoms.start;
      return whole(text, from + Math.max(2, left), to);
    }
    left -= atoms.tokens;
  }
  return to;
}

/** The place itself, or the one before it where it would cut a character of two code units in half. */
function whole(text: string, place: number, to: number): number {
  const before = text.charCodeAt(place - 1);
  const isHalf = before >= 0xd800 && before <= 0xdbff && place < to;
  return isHalf ? place - 1 : place;
}
