import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { EXAMPLE_FIELDS } from './schema-examples.js';

/** Key in an inline schema that names its component. Without it, the name follows from the position of the schema. */
export const SCHEMA_NAME = 'x-schema-name';

const ANNOTATIONS = ['description', 'example', 'examples', 'default', 'deprecated', EXAMPLE_FIELDS];

/** Keys of a schema whose value is one schema. Each has a suffix, with which the name of the inner schema is formed. */
const SINGLE = { additionalProperties: 'Value', propertyNames: 'Key', not: 'Other' } as const;
/** Keys of a schema whose value is a list of schemas. */
const PARTS = ['oneOf', 'anyOf', 'allOf'] as const;

const FREE_OBJECT: JsonObject = {
  type: 'object',
  description: 'An object with any members.',
  additionalProperties: true,
};

/**
 * Moves each object schema to `components.schemas`, so that generated clients have a named type for it. Its name
 * consists of the component and field that contain it. An object without described fields becomes `JsonObject`.
 * @throws Error if two different schemas get the same name
 */
export function nameSchemas(document: JsonObject): JsonObject {
  const components = { ...childOf(document, 'components') };
  const names = new SchemaNames(childOf(components, 'schemas'));
  const paths = names.inOperations(childOf(document, 'paths'));
  const webhooks = names.inOperations(childOf(document, 'webhooks'));
  return { ...document, paths, webhooks, components: { ...components, schemas: names.all() } };
}

/** Converts for example `email.received` to `EmailReceived` and `listRuns` to `ListRuns`. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

class SchemaNames {
  private readonly named = new Map<string, JsonObject>();

  constructor(private readonly given: JsonObject) {
    for (const [name, schema] of Object.entries(given)) this.named.set(name, this.inside(asObject(schema), name));
  }

  all(): JsonObject {
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  inOperations(items: JsonObject): JsonObject {
    return mapped(items, (item) =>
      mapped(asObject(item), (value) => {
        const operation = asObject(value);
        const { operationId, requestBody, responses } = operation;
        const name = typeof operationId === 'string' ? pascalCase(operationId) : '';
        return {
          ...operation,
          ...(requestBody !== undefined && { requestBody: this.inContent(asObject(requestBody), `${name}Body`) }),
          responses: mapped(asObject(responses), (response) => this.inContent(asObject(response), `${name}Answer`)),
        };
      }),
    );
  }

  private inContent(body: JsonObject, name: string): JsonObject {
    if (!isJsonObject(body.content)) return body;
    const content = mapped(body.content, (media) => {
      const { schema, ...others } = asObject(media);
      return { schema: this.schema(asObject(schema), name), ...others };
    });
    return { ...body, content };
  }

  /** Returns the schema, or a reference to it if it describes an object. */
  private schema(schema: JsonObject, place: string): JsonObject {
    const { [SCHEMA_NAME]: given, ...described } = schema;
    const name = typeof given === 'string' ? given : place;
    const inner = this.inside(described, name);
    return isObjectSchema(inner) ? this.moved(inner, name) : inner;
  }

  private moved(schema: JsonObject, name: string): JsonObject {
    const [annotations, { type, ...shape }] = divided(schema);
    const isFree =
      !Object.keys(shape).some((key) => key !== 'additionalProperties') && !isJsonObject(shape.additionalProperties);
    const component = isFree ? FREE_OBJECT : { type: 'object', description: schema.description ?? null, ...shape };
    const reference = { $ref: `#/components/schemas/${this.add(isFree ? 'JsonObject' : name, component)}` };
    const isNullable = Array.isArray(type) && type.includes('null');
    return isNullable ? { anyOf: [reference, { type: 'null' }], ...annotations } : { ...reference, ...annotations };
  }

  private add(name: string, component: JsonObject): string {
    const known = this.named.get(name) ?? this.given[name];
    if (known !== undefined && shapeOf(asObject(known)) !== shapeOf(component))
      throw new Error(`Two schemas are called ${name}. Give one of them another name with ${SCHEMA_NAME}.`);
    if (!this.named.has(name)) this.named.set(name, component);
    return name;
  }

  /** Returns the schema with references to the object schemas inside it. */
  private inside(schema: JsonObject, name: string): JsonObject {
    const result: JsonObject = { ...schema };
    for (const key of ['properties', 'patternProperties']) {
      const members = result[key];
      if (isJsonObject(members))
        result[key] = mapped(members, (each, member) => this.schema(asObject(each), name + pascalCase(member)));
    }
    if (isJsonObject(result.items)) result.items = this.schema(result.items, singular(name));
    for (const [key, suffix] of Object.entries(SINGLE)) {
      const single = result[key];
      if (isJsonObject(single)) result[key] = this.schema(single, name + suffix);
    }
    for (const key of PARTS) {
      const parts = result[key];
      if (Array.isArray(parts)) result[key] = parts.map((part) => this.schema(asObject(part), `${name}Object`));
    }
    return withoutSingleAllOf(result);
  }
}

/** OpenAPI 3.1 allows a description beside `$ref`, so an `allOf` with one reference is not needed. */
function withoutSingleAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...others } = schema;
  if (!Array.isArray(allOf) || allOf.length !== 1) return schema;
  return { ...asObject(allOf[0] ?? null), ...others };
}

function isObjectSchema({ type }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** Divides the schema into the annotations, which describe its use, and the keys that describe the value. */
function divided(schema: JsonObject): [JsonObject, JsonObject] {
  const entries = Object.entries(schema);
  return [
    Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.includes(key))),
    Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.includes(key))),
  ];
}

function shapeOf(schema: JsonObject): string {
  return JSON.stringify(divided(schema)[1]);
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

function mapped(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

function childOf(object: JsonObject, key: string): JsonObject {
  return asObject(object[key] ?? {});
}

/**
 * Returns `value` as a schema object. A JSON Schema can also be `true` or `false`, but the callers only pass schemas
 * that are objects.
 */
function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
