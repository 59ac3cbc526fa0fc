import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { OpenapiDocument, textToJson, UnusableDocument, withoutFragment } from './openapi-document.js';

export interface FurtherDocument {
  readonly url: string;
  readonly text: string;
}

/** Member of the bundled document that contains the further documents. */
const FURTHER = 'x-further-documents';

/**
 * Joins a document and the further documents to which it refers. References between them become references within the
 * joined document. A reference to any other document stays, and is an error only for operations that need it.
 * @param content the document itself, or its text
 * @param url the address of the document, or null
 * @throws UnusableDocument
 */
export function bundledDocument(
  content: string | JsonObject,
  url: string | null,
  further: readonly FurtherDocument[],
): OpenapiDocument {
  const root = typeof content === 'string' ? textToJson(content) : content;
  if (further.length === 0 || !isJsonObject(root)) return OpenapiDocument.of(root, url);
  const files = namedFiles(further);
  const places = new Map(files.map(({ address, name }) => [address, `#/${FURTHER}/${name}`]));
  if (url !== null) places.set(withoutFragment(url, null) ?? url, '#');
  // The definition may contain the document, and must not change.
  const bundle = structuredClone(root);
  rewriteReferences(bundle, (reference) => placeOf(reference, url, '#', places));
  const documents = files.map(({ name, address, text }): [string, JsonValue] => {
    const document = furtherDocument(address, text);
    const own = `#/${FURTHER}/${name}`;
    rewriteReferences(document, (reference) => placeOf(reference, address, own, places));
    return [name, document];
  });
  return OpenapiDocument.of({ ...bundle, [FURTHER]: Object.fromEntries(documents) }, url);
}

function furtherDocument(address: string, text: string): JsonValue {
  try {
    return textToJson(text);
  } catch (error) {
    if (!(error instanceof UnusableDocument)) throw error;
    throw new UnusableDocument(`${address}: ${error.message}`);
  }
}

/** Names the documents after their files, because these names become names of schemas that a model reads. */
function namedFiles(further: readonly FurtherDocument[]): { name: string; address: string; text: string }[] {
  const names = new Set<string>();
  return further.map(({ url, text }, index) => {
    const file =
      url
        .replace(/[?#].*/, '')
        .split('/')
        .at(-1) ?? '';
    const stem = file.replace(/\.\w+$/, '').replace(/[^A-Za-z0-9_-]/g, '_');
    const name = stem === '' || names.has(stem) ? `${stem}_${index}` : stem;
    names.add(name);
    return { name, address: withoutFragment(url, null) ?? url, text };
  });
}

function placeOf(reference: string, base: string | null, own: string, places: ReadonlyMap<string, string>): string {
  const [address = '', fragment = ''] = reference.split('#', 2);
  const target = address === '' ? base : withoutFragment(address, base);
  const place = address === '' ? own : places.get(target ?? '');
  if (place === undefined) return `${target ?? address}#${fragment}`;
  // An anchor is no pointer, and fails when it is resolved.
  return fragment === '' || fragment.startsWith('/') ? `${place}${fragment}` : `#${fragment}`;
}

/** Uses no recursion, because the nesting of a document may have any depth. */
function rewriteReferences(document: JsonValue, rewritten: (reference: string) => string): void {
  const pending = [document];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (isJsonObject(next) && typeof next.$ref === 'string') next.$ref = rewritten(next.$ref);
    for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) pending.push(member);
  }
}
