import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { isJsonObject, MAX_JSON_DEPTH } from '@app/kernel';
import { spend } from './cel-cost.js';
import { engineMap, fail, type FunctionSpec } from './function-spec.js';
import { NESTED_TOO_DEEP } from './cel-json.js';

const TEXT = '#text';
const CDATA = '#cdata';
const ATTRIBUTES = ':@';
/**
 * It prevents a clash with the keys that the parser adds to the same objects: {@link TEXT}, {@link CDATA} and {@link
 * ATTRIBUTES}.
 */
const MARK = '<';
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi;

/** This parser keeps the order of elements and texts, and returns texts unchanged. */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  cdataPropName: CDATA,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  maxNestedTags: MAX_JSON_DEPTH,
  strictReservedNames: false,
  transformTagName: (name) => MARK + name,
});

function decode(text: string, lists: readonly unknown[] = []): unknown {
  spend(text.length >> 2);
  const names = new Set(
    lists.map((name) => (typeof name === 'string' ? name : fail('has a name that is not a string'))),
  );
  const [root, ...others] = elementsOf(parsed(withoutDocumentType(text)));
  if (!root || others.length > 0) return fail(NO_XML);
  return engineMap([[root.name, valueOf(root, names, 0)]]);
}

/**
 * Removes the document type declaration, which can declare entities. It has no effect on the result, so the parser need
 * not read it. The caller checks that the rest is well-formed.
 */
function withoutDocumentType(text: string): string {
  const start = /^\ufeff?(?:\s|<\?(?:[^?]|\?(?!>))*\?>|<!--(?:[^-]|-(?!->))*-->)*(?=<!DOCTYPE)/.exec(text)?.[0].length;
  if (start === undefined) return text;
  const part = /"[^"]*"|'[^']*'|<!--[\s\S]*?-->|[[\]>]/g;
  part.lastIndex = start;
  let isInside = false;
  for (let found = part.exec(text); found; found = part.exec(text)) {
    if (found[0] === '[') isInside = true;
    else if (found[0] === ']') isInside = false;
    else if (found[0] === '>' && !isInside) return text.slice(0, start) + text.slice(part.lastIndex);
  }
  return fail(NO_XML);
}

const NO_XML = 'decodes a string that is not well-formed XML';

function parsed(text: string): unknown {
  // oxlint-disable-next-line typescript/no-deprecated -- its successor is a package with more dependencies
  if (XMLValidator.validate(text) !== true) return fail(NO_XML);
  try {
    return parser.parse(text) as unknown;
  } catch (error) {
    return fail(error instanceof Error && error.message.includes('nested') ? NESTED_TOO_DEEP : NO_XML);
  }
}

interface Element {
  readonly name: string;
  readonly attributes: readonly [string, string][];
  readonly nodes: unknown;
}

function elementsOf(nodes: unknown): Element[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown): Element[] => {
    if (!isJsonObject(node)) return [];
    const tag = Object.keys(node).find((key) => key.startsWith(MARK));
    if (tag === undefined) return [];
    const attributes = isJsonObject(node[ATTRIBUTES]) ? Object.entries(node[ATTRIBUTES]) : [];
    return [
      {
        // The parser adds the prefix to the name of an empty element twice.
        name: tag.replace(/^<+/, ''),
        attributes: attributes.map(([name, value]) => [name, withoutEntities(typeof value === 'string' ? value : '')]),
        nodes: node[tag],
      },
    ];
  });
}

function valueOf(element: Element, lists: ReadonlySet<string>, depth: number): unknown {
  if (depth >= MAX_JSON_DEPTH) fail(NESTED_TOO_DEEP);
  spend(1);
  const children = elementsOf(element.nodes);
  const text = textOf(element.nodes).trim();
  if (children.length === 0 && element.attributes.length === 0) return text;
  const byName = new Map<string, unknown[]>();
  for (const child of children) {
    const value = valueOf(child, lists, depth + 1);
    const others = byName.get(child.name);
    if (others) others.push(value);
    else byName.set(child.name, [value]);
  }
  return engineMap([
    ...element.attributes,
    ...(text === '' ? [] : [[TEXT, text] as const]),
    ...[...byName].map(([name, values]) => [name, values.length > 1 || lists.has(name) ? values : values[0]] as const),
  ]);
}

function textOf(nodes: unknown): string {
  if (!Array.isArray(nodes)) return '';
  const parts = nodes.map((node: unknown): string => {
    if (!isJsonObject(node)) return '';
    if (typeof node[TEXT] === 'string') return withoutEntities(node[TEXT]);
    const [cdata] = Array.isArray(node[CDATA]) ? node[CDATA] : [];
    return isJsonObject(cdata) && typeof cdata[TEXT] === 'string' ? cdata[TEXT] : '';
  });
  return parts.join('');
}

/** Decodes the five entities of XML and character references. All other entities remain as they are. */
function withoutEntities(text: string): string {
  return text.replace(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? reference) : reference;
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    return isCharacter ? String.fromCodePoint(point) : fail('decodes a reference to a character that does not exist');
  });
}

export const XML_FUNCTIONS: readonly FunctionSpec[] = [
  ['xml.decode(string): map', (text: string): unknown => decode(text)],
  ['xml.decode(string, list): map', decode],
];
