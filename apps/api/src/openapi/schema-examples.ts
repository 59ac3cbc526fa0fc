import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * Key of an extension in a schema. Its value contains fields that replace those of the generated example. Without it,
 * for example, the example of a new run would have the status `succeeded`. The document does not contain the key.
 */
export const EXAMPLE_FIELDS = 'x-example-fields';

export const APPROVED_EXAMPLE = {
  status: 'approved',
  decisions: [
    {
      by: 'ada@example.com',
      decision: 'approve',
      comment: null,
      via: 'api',
      at: '2026-01-31T09:00:00.000Z',
      request_before: null,
    },
  ],
  decided_at: '2026-01-31T09:00:00.000Z',
};

export const QUEUED_SYNC_EXAMPLE = {
  status: 'queued',
  progress: { seen: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 },
  failures: [],
  started_at: null,
  ended_at: null,
};

export const QUEUED_RUN_EXAMPLE = {
  status: 'queued',
  waiting: { for: 'worker' },
  output: null,
  ended_at: null,
  duration_ms: null,
  cost: { amount: '0.00', currency: 'EUR' },
};

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** The parts of a JSON Schema that determine an example. */
interface Schema {
  $ref?: string;
  example?: unknown;
  examples?: readonly unknown[];
  default?: unknown;
  enum?: readonly unknown[];
  type?: string | readonly string[];
  format?: string;
  minimum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  allOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  [EXAMPLE_FIELDS]?: object;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: object;
}

interface Content {
  content?: Record<string, Media>;
}

interface Bodies {
  requestBody?: Content;
  responses?: Record<string, Content>;
}

const TIME = '2026-01-31T08:00:00.000Z';

/**
 * Adds an example to each body that has none, except pages. The example is generated from the examples of the fields.
 * `messages` are webhook messages: requests that the service sends.
 */
export function addExamples(operations: readonly object[], messages: readonly object[], schemas: Schemas): void {
  for (const message of messages) addTo((message as Bodies).requestBody ?? {}, { schemas, isRequest: false });
  for (const operation of operations) {
    const { requestBody, responses = {} } = operation as Bodies;
    if (requestBody) addTo(requestBody, { schemas, isRequest: true });
    for (const response of Object.values(responses)) addTo(response, { schemas, isRequest: false });
  }
}

/**
 * Moves each example that several responses share to `components.examples`, named after its schema. Copies
 * would make the document a tenth larger.
 */
export function shareExamples(operations: readonly object[], shared: Record<string, object>): void {
  const bodies = operations
    .flatMap((operation) => Object.values((operation as Bodies).responses ?? {}))
    .flatMap(({ content = {} }) => Object.values(content))
    .filter((media): media is SharedMedia => media.example !== undefined && media.schema?.$ref !== undefined);
  const uses = new Map<string, SharedMedia[]>();
  for (const media of bodies) {
    const key = JSON.stringify([media.schema.$ref, media.example]);
    uses.set(key, [...(uses.get(key) ?? []), media]);
  }
  for (const [first, ...others] of uses.values()) {
    if (!first || others.length === 0) continue;
    const name = unusedName(first.schema.$ref.replace('#/components/schemas/', ''), shared);
    shared[name] = { value: first.example };
    for (const media of [first, ...others]) {
      media.examples = { [name]: { $ref: `#/components/examples/${name}` } };
      delete media.example;
    }
  }
}

/** Returns `Sync`, and `Sync2` if there is another component with this name. */
export function unusedName(wanted: string, used: object): string {
  let name = wanted;
  for (let n = 2; name in used; n += 1) name = `${wanted}${n}`;
  return name;
}

type SharedMedia = Media & { schema: { $ref: string } };

interface ExampleOptions {
  schemas: Schemas;
  /** The example of a request has all fields. Any other example has only the required fields. */
  isRequest: boolean;
}

function addTo({ content = {} }: Content, options: ExampleOptions): void {
  for (const media of Object.values(content)) {
    if (!media.schema || media.example !== undefined || media.examples || isPage(media.schema)) continue;
    media.example = exampleOf(media.schema, options);
  }
}

/** Whether the schema is a page of a list. A page needs no example, because its items have examples. */
function isPage({ $ref }: Schema): boolean {
  return $ref?.endsWith('Page') === true;
}

function exampleOf({ [EXAMPLE_FIELDS]: fields, ...schema }: Schema, options: ExampleOptions): unknown {
  const example = generatedExample(schema, options);
  return fields ? { ...(example as object), ...fields } : example;
}

function generatedExample(schema: Schema, options: ExampleOptions): unknown {
  const [first = schema.default ?? schema.enum?.[0]] = schema.examples ?? [];
  if (schema.example !== undefined) return schema.example;
  if (first !== undefined) return first;
  if (schema.$ref !== undefined) return exampleOf(referred(schema.$ref, options.schemas), options);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, options))) as unknown;
  const [variant] = schema.oneOf ?? schema.anyOf ?? [];
  if (variant) return exampleOf(variant, options);
  return exampleOfType(schema, options);
}

function referred(pointer: string, schemas: Schemas): Schema {
  return schemas[pointer.replace('#/components/schemas/', '')] as Schema;
}

function exampleOfType(schema: Schema, options: ExampleOptions): unknown {
  switch ([schema.type].flat()[0]) {
    case 'array':
      return schema.items ? [exampleOf(schema.items, options)] : [];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'string':
      return schema.format === 'date-time' ? TIME : 'text';
    default:
      return exampleOfObject(schema, options);
  }
}

function exampleOfObject({ properties = {}, required = [] }: Schema, options: ExampleOptions): object {
  const shown = Object.entries(properties).filter(([name]) => options.isRequest || required.includes(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, options)]));
}
