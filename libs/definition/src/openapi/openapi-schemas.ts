import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type OpenapiDocument, UnusableDocument } from './openapi-document.js';

const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
/** Keywords whose value is an object of schemas, a list of schemas, or one schema. */
const SCHEMAS_BY_NAME = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'dependencies'];
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const SCHEMA_KEYS = [
  'items',
  'additionalItems',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
];

/**
 * Creates self-contained JSON Schemas (2020-12) from the schemas of a document. Each referenced schema appears once in
 * `$defs`, so recursive schemas stay finite. Translates the dialect of OpenAPI 3.0.
 */
export class OpenapiSchemas {
  readonly definitions: JsonObject = {};
  private readonly names = new Map<string, string>();
  /**
   * References whose entry in `$defs` has a name but is not translated yet. They are not translated recursively,
   * because chains of references may have any length.
   */
  private readonly pending: { readonly name: string; readonly reference: string }[] = [];
  private nodes = 0;

  constructor(private readonly document: OpenapiDocument) {}

  /** @throws UnusableDocument if the schemas are too large or nested too deeply, or if a reference points to nothing */
  schema(source: JsonValue | undefined): JsonObject {
    const schema = this.translate(source, 0);
    for (let next = this.pending.pop(); next; next = this.pending.pop()) {
      this.definitions[next.name] = this.translate(this.document.at(next.reference), 0);
    }
    return schema;
  }

  private translate(source: JsonValue | undefined, depth: number): JsonObject {
    if (source === false) return { not: {} };
    if (!isJsonObject(source)) return {};
    this.nodes += 1;
    if (this.nodes > MAX_NODES || depth > MAX_DEPTH)
      throw new UnusableDocument(
        'The schemas of the operation are too large or nested too deeply. Simplify the schemas, or remove the operation from `include`.',
      );
    const $ref = typeof source.$ref === 'string' ? `#/$defs/${this.addReference(source.$ref)}` : undefined;
    if ($ref !== undefined && this.document.hasOldSchemas) return { $ref };
    const schema: JsonObject = {};
    for (const [key, value] of Object.entries(source)) schema[key] = this.member(key, value, depth + 1);
    if (Array.isArray(source.required) && isJsonObject(source.properties)) {
      const { properties } = source;
      schema.required = source.required.filter(
        (name) => typeof name !== 'string' || !this.isReadOnly(properties[name]),
      );
    }
    if ($ref !== undefined) schema.$ref = $ref;
    return this.document.hasOldSchemas ? toCurrentDialect(schema) : schema;
  }

  /** A property that only responses contain. A schema that requires it does so for responses only. */
  private isReadOnly(property: JsonValue | undefined): boolean {
    if (!isJsonObject(property)) return false;
    return property.readOnly === true || this.document.object(property)?.readOnly === true;
  }

  private member(key: string, value: JsonValue, depth: number): JsonValue {
    if (SCHEMAS_BY_NAME.includes(key) && isJsonObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, Array.isArray(one) ? one : this.translate(one, depth)]),
      );
    }
    if (SCHEMA_LISTS.includes(key) && Array.isArray(value)) return value.map((one) => this.translate(one, depth));
    return SCHEMA_KEYS.includes(key) && isJsonObject(value) ? this.translate(value, depth) : value;
  }

  /**
   * Returns the name of a referenced schema in `$defs`. The name is assigned before the schema is translated, because
   * the schema may refer to itself.
   */
  private addReference(reference: string): string {
    const known = this.names.get(reference);
    if (known !== undefined) return known;
    const last = reference.slice(reference.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_.-]/g, '_') || 'root';
    const name = Object.hasOwn(this.definitions, last) ? `${last}_${this.names.size}` : last;
    this.names.set(reference, name);
    this.definitions[name] = {};
    this.pending.push({ name, reference });
    return name;
  }
}

/** Converts keywords of OpenAPI 3.0 and Swagger 2.0 to JSON Schema 2020-12. */
function toCurrentDialect({ nullable, exclusiveMinimum, exclusiveMaximum, ...schema }: JsonObject): JsonObject {
  // Swagger 2.0 lacks `nullable`, and many of its documents have `x-nullable` instead.
  const isNullable = nullable === true || schema['x-nullable'] === true;
  if (isNullable && typeof schema.type === 'string') schema.type = [schema.type, 'null'];
  if (isNullable && Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  for (const [limit, exclusive, value] of [
    ['minimum', 'exclusiveMinimum', exclusiveMinimum],
    ['maximum', 'exclusiveMaximum', exclusiveMaximum],
  ] as const) {
    if (typeof value === 'number') schema[exclusive] = value;
    // The inclusive limit may stay, because the exclusive one implies it.
    if (value === true && typeof schema[limit] === 'number') schema[exclusive] = schema[limit];
  }
  return schema;
}
