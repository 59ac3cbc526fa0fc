import type { JsonObject, JsonValue } from '@app/kernel';
import { type Event, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml';
import { isForbiddenKey, MAX_VALUES } from './source-document.js';

type MapEvent = Extract<Event, { type: typeof EVENT_ID.MAPPING }>;
type ListEvent = Extract<Event, { type: typeof EVENT_ID.SEQUENCE }>;
type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;

/** What the two libraries treat differently in corners: most texts have nothing of it. */
const UNUSUAL = new RegExp(
  [
    // Anything but printable text: tabs, carriage returns, marks of the byte order.
    /[^\n\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\ufffd]/,
    // The ends of documents.
    /^ *(?:---|\.\.\.)/,
    // Blocks that say how far they are indented, or keep the line breaks behind them.
    /[|>]-?[+1-9][-+1-9]* *(?:#|$)/,
    // Escaped line breaks.
    /\\$/,
    // Comments to the left of what follows them.
    /^( *)#.*\n(?: *\n)*\1 +[^ \n]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
);
/** What a plain text must not begin with, though the fast library lets it. */
const NO_PLAIN_START = ',]}[{#&*!|>\'"%@`';
/** More than these may be more than the lexemes that the thorough reader takes. */
const MAX_PARTS = 40_000;
const PARTS_OF_EVENT = 8;
const PARTS_OF_LINE = 4;

const NULLS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
/** Hexadecimal and octal numbers, infinities. */
const SPECIAL_NUMBER = /^(?:0[ox]|[-+]?\.(?:inf|nan)$)/i;
const NUMBER = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Thrown for what is left to the thorough reader: nobody sees it, and it is no place where something went wrong. */
const UNSURE = new Error('This is for the thorough reader.');

/**
 * The value of a YAML text in a fifth of the time that the library takes which knows places. Undefined for all that
 * `readThoroughly` refuses, so that it says why, and for the corners of the language where the two disagree:
 * what is returned is what it would return. Only objects are read, which all definitions are.
 */
export function readPlainYaml(text: string, maxDepth: number): JsonObject | undefined {
  if (UNUSUAL.test(text) || !text.isWellFormed()) return undefined;
  try {
    const events = parseEvents(text, { maxDepth: 2 * maxDepth });
    if (events.length * PARTS_OF_EVENT + linesOf(text) * PARTS_OF_LINE > MAX_PARTS) return undefined;
    return new EventReader(text, events, maxDepth).readDocument();
  } catch {
    // Whatever it is, the thorough reader says it.
    return undefined;
  }
}

class EventReader {
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
    private readonly maxDepth: number,
  ) {}

  readDocument(): JsonObject {
    const document = this.take();
    if (document.type !== EVENT_ID.DOCUMENT || document.directives.length > 0) throw UNSURE;
    const root = this.take();
    if (root.type !== EVENT_ID.MAPPING) throw UNSURE;
    const value = this.readMap(root, 0);
    if (this.take().type !== EVENT_ID.POP || this.at < this.events.length) throw UNSURE;
    return value;
  }

  private take(): Event {
    const event = this.events[this.at++];
    if (!event) throw UNSURE;
    return event;
  }

  private readValue(event: Event, depth: number): JsonValue {
    if (++this.values > MAX_VALUES) throw UNSURE;
    if (event.type === EVENT_ID.SCALAR) return this.readScalar(event);
    if (event.type === EVENT_ID.MAPPING) return this.readMap(event, depth);
    if (event.type === EVENT_ID.SEQUENCE) return this.readList(event, depth);
    throw UNSURE;
  }

  private readList(list: ListEvent, depth: number): JsonValue[] {
    checkBare(list);
    if (depth >= this.maxDepth) throw UNSURE;
    const items: JsonValue[] = [];
    for (let event = this.take(); event.type !== EVENT_ID.POP; event = this.take())
      items.push(this.readValue(event, depth + 1));
    return items;
  }

  private readMap(map: MapEvent, depth: number): JsonObject {
    checkBare(map);
    if (depth >= this.maxDepth) throw UNSURE;
    const members: JsonObject = {};
    for (let event = this.take(); event.type !== EVENT_ID.POP; event = this.take()) {
      if (event.type !== EVENT_ID.SCALAR) throw UNSURE;
      const value = this.readScalar(event);
      const key = typeof value === 'string' ? value : getScalarValue(this.text, event);
      if (value === null || key === '<<' || isForbiddenKey(key) || Object.hasOwn(members, key)) throw UNSURE;
      members[key] = this.readValue(this.take(), depth + 1);
    }
    return members;
  }

  private readScalar(event: ScalarEvent): JsonValue {
    checkBare(event);
    const text = getScalarValue(this.text, event);
    if (event.style === SCALAR_STYLE.PLAIN) return plainValue(text);
    // The text is well-formed; what escapes add to it need not be.
    if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && (text.includes('\0') || !text.isWellFormed())) throw UNSURE;
    return text;
  }
}

function checkBare({ anchorStart, tagStart }: MapEvent | ListEvent | ScalarEvent): void {
  if (anchorStart !== -1 || tagStart !== -1) throw UNSURE;
}

/** What a scalar without quotes means by YAML's core schema. */
function plainValue(text: string): JsonValue {
  if (NULLS.has(text)) return null;
  const flag = FLAGS.get(text);
  if (flag !== undefined) return flag;
  if (NO_PLAIN_START.includes(text.charAt(0))) throw UNSURE;
  if (SPECIAL_NUMBER.test(text)) throw UNSURE;
  if (!NUMBER.test(text)) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) throw UNSURE;
  return value;
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
