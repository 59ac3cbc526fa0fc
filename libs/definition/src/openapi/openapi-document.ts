import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { parse, YAMLParseError } from 'yaml';

/** Maximum length of a document in YAML, because parsing takes about 0.6 s for each MiB. */
const MAX_YAML_CHARACTERS = 8 * 1024 * 1024;
const MAX_REFERENCES = 32;

/** Thrown if the document cannot be used. The message tells the author of the definition why. */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument';
}

/** A reference to a document that the tool does not list. */
export class ForeignReference extends UnusableDocument {}

/** An OpenAPI document of version 3.0 or 3.1, or a Swagger document of version 2.0. Resolves its references. */
export class OpenapiDocument {
  private constructor(
    readonly root: JsonObject,
    private readonly url: string | null,
  ) {}

  /** @throws UnusableDocument if the text is neither JSON nor YAML, or has another version */
  static read(text: string): OpenapiDocument {
    return OpenapiDocument.of(textToJson(text));
  }

  /**
   * @param url the address of the document, if it has one
   * @throws UnusableDocument if the value is not a document of these versions
   */
  static of(root: JsonValue, url: string | null = null): OpenapiDocument {
    if (!isJsonObject(root))
      throw new UnusableDocument('The document is not an OpenAPI document, because it is not an object.');
    const { openapi, swagger } = root;
    const isSupported = typeof openapi === 'string' ? /^3\.[01]\./.test(openapi) : isSwagger2(swagger);
    if (!isSupported) {
      throw new UnusableDocument(
        'The document is neither an OpenAPI document of version 3.0 or 3.1 nor a Swagger document of version 2.0. Check its field `openapi` or `swagger`.',
      );
    }
    return new OpenapiDocument(root, url);
  }

  get isSwagger(): boolean {
    return typeof this.root.openapi !== 'string';
  }

  /** Whether the schemas use the dialect of OpenAPI 3.0, which Swagger 2.0 shares. */
  get hasOldSchemas(): boolean {
    const { openapi } = this.root;
    return typeof openapi !== 'string' || openapi.startsWith('3.0.');
  }

  /**
   * Returns the value, or the target if the value is a reference. Follows chains of references.
   * @throws UnusableDocument if a reference points to nothing or to another document, or if the chain is circular
   */
  resolve(value: JsonValue | undefined): JsonValue | undefined {
    let resolved = value;
    for (let hop = 0; isJsonObject(resolved) && typeof resolved.$ref === 'string'; hop++) {
      if (hop === MAX_REFERENCES)
        throw new UnusableDocument(`The reference ${resolved.$ref} is circular. Remove one reference of the cycle.`);
      resolved = this.at(resolved.$ref);
    }
    return resolved;
  }

  /** Like {@link OpenapiDocument.resolve}, but returns undefined if the result is not an object. */
  object(value: JsonValue | undefined): JsonObject | undefined {
    const resolved = this.resolve(value);
    return isJsonObject(resolved) ? resolved : undefined;
  }

  /** @throws UnusableDocument if the reference points to nothing or to another document */
  at(reference: string): JsonValue {
    if (!reference.startsWith('#')) throw this.foreign(reference);
    let place: JsonValue | undefined = this.root;
    const isPointer = reference === '#' || reference.startsWith('#/');
    for (const part of isPointer ? reference.split('/').slice(1) : [reference]) {
      const key = unescaped(part);
      place = Array.isArray(place)
        ? place[Number(key)]
        : isJsonObject(place) && Object.hasOwn(place, key)
          ? place[key]
          : undefined;
    }
    if (place === undefined)
      throw new UnusableDocument(
        `The reference ${reference} points to nothing in the document. Correct the reference, or remove the operation from \`include\`.`,
      );
    return place;
  }

  private foreign(reference: string): ForeignReference {
    const address = withoutFragment(reference, this.url);
    const remedy =
      address === null
        ? 'The document in the definition has no address, so refer to the other document by its URL.'
        : `Add it to \`spec.documents\` of the tool: \`{ url: "${address}", sha256: … }\`.`;
    return new ForeignReference(`The reference ${reference} points to another document. ${remedy}`);
  }
}

export function withoutFragment(reference: string, base: string | null): string | null {
  if (!URL.canParse(reference, base ?? undefined)) return null;
  const url = new URL(reference, base ?? undefined);
  url.hash = '';
  return url.href;
}

/** In YAML, `2.0` without quotes is a number. */
function isSwagger2(swagger: JsonValue | undefined): boolean {
  return swagger === '2.0' || swagger === 2;
}

/** @throws UnusableDocument if the text is neither JSON nor YAML */
export function textToJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    if (text.length > MAX_YAML_CHARACTERS) {
      throw new UnusableDocument(
        `The OpenAPI document is not JSON, and a YAML document may have at most ${MAX_YAML_CHARACTERS / 1024 / 1024} MiB. Convert the document to JSON.`,
      );
    }
  }
  try {
    return parse(text, { uniqueKeys: false, maxAliasCount: 0, logLevel: 'error' }) as JsonValue;
  } catch (error) {
    if (!(error instanceof YAMLParseError))
      throw new UnusableDocument(
        'The OpenAPI document is YAML with aliases (`*name`), which are not read. Convert the document to JSON.',
      );
    const [place = ''] = error.message.split(/:?\n/, 1);
    throw new UnusableDocument(`The OpenAPI document is neither valid JSON nor valid YAML: ${place}.`);
  }
}

/** Decodes a part of a JSON Pointer in a URI fragment (RFC 6901). */
function unescaped(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
