import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { parse } from 'yaml';

/** Reading YAML takes some 3 ms for each KiB. */
const MAX_YAML_CHARACTERS = 256 * 1024;
const MAX_REFERENCES = 32;

/** The document cannot be used, with the reason for the author of the definition. */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument';
}

/** An OpenAPI document of version 3.0 or 3.1, with what is behind its references. */
export class OpenapiDocument {
  private constructor(readonly root: JsonObject) {}

  /** @throws UnusableDocument */
  static read(text: string): OpenapiDocument {
    return OpenapiDocument.of(textToJson(text));
  }

  /** @throws UnusableDocument */
  static of(root: JsonValue): OpenapiDocument {
    if (!isJsonObject(root)) throw new UnusableDocument('It is not an OpenAPI document: it is no object.');
    const { openapi, swagger } = root;
    if (typeof swagger === 'string')
      throw new UnusableDocument('Swagger 2.0 is not understood: convert it to OpenAPI 3.');
    if (typeof openapi !== 'string' || !/^3\.[01]\./.test(openapi)) {
      throw new UnusableDocument('It is not an OpenAPI document of version 3.0 or 3.1.');
    }
    return new OpenapiDocument(root);
  }

  /** Whether schemas are written in the dialect of OpenAPI 3.0. */
  get hasOldSchemas(): boolean {
    return typeof this.root.openapi === 'string' && this.root.openapi.startsWith('3.0.');
  }

  /**
   * What the value is, or refers to, however many references lead there.
   * @throws UnusableDocument for a reference to nothing, to another document, or round in a circle
   */
  resolve(value: JsonValue | undefined): JsonValue | undefined {
    let resolved = value;
    for (let hop = 0; isJsonObject(resolved) && typeof resolved.$ref === 'string'; hop++) {
      if (hop === MAX_REFERENCES) throw new UnusableDocument(`The reference ${resolved.$ref} leads round in a circle.`);
      resolved = this.at(resolved.$ref);
    }
    return resolved;
  }

  /** The object that the value is or refers to; undefined where it is something else. */
  object(value: JsonValue | undefined): JsonObject | undefined {
    const resolved = this.resolve(value);
    return isJsonObject(resolved) ? resolved : undefined;
  }

  /** @throws UnusableDocument when nothing is there */
  at(reference: string): JsonValue {
    if (reference !== '#' && !reference.startsWith('#/')) {
      throw new UnusableDocument(
        `The reference ${reference} leads to another document, which is not pinned: bundle the document.`,
      );
    }
    let place: JsonValue | undefined = this.root;
    for (const part of reference.split('/').slice(1)) {
      const key = unescaped(part);
      place = Array.isArray(place)
        ? place[Number(key)]
        : isJsonObject(place) && Object.hasOwn(place, key)
          ? place[key]
          : undefined;
    }
    if (place === undefined) throw new UnusableDocument(`The reference ${reference} leads nowhere.`);
    return place;
  }
}

function textToJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    if (text.length > MAX_YAML_CHARACTERS) {
      throw new UnusableDocument(`It is not JSON, and YAML is read up to ${MAX_YAML_CHARACTERS / 1024} KiB.`);
    }
  }
  try {
    return parse(text, { uniqueKeys: false, maxAliasCount: 0, logLevel: 'silent' }) as JsonValue;
  } catch {
    throw new UnusableDocument('It is neither JSON nor YAML.');
  }
}

/** RFC 6901 inside of a URI fragment. */
function unescaped(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
