import fc from 'fast-check';
import { hostileJson } from './hostile-values.js';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  format?: string;
  example?: unknown;
}

const DEEP = 6;
/** On average, one field in this many violates its schema. */
const HOSTILE_ONE_IN = 8;

/**
 * Generates values for the schemas of an OpenAPI document. Most values conform to their schema, and a few are hostile.
 */
export class DescribedValues {
  constructor(
    private readonly schemas: Readonly<Record<string, Schema>>,
    private readonly known: fc.Arbitrary<string>,
  ) {}

  of(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
    const described = depth > DEEP ? fc.constant(null) : this.described(this.resolved(schema), depth);
    return fc.oneof(
      { weight: HOSTILE_ONE_IN - 1, arbitrary: described },
      { weight: depth === 0 ? 0 : 1, arbitrary: hostileJson },
    );
  }

  private resolved(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.resolved(this.schemas[name] ?? {});
  }

  private described(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const alternatives = schema.oneOf ?? schema.anyOf;
    if (alternatives) return fc.oneof(...alternatives.map((each) => this.of(each, depth + 1)));
    if (schema.allOf)
      return this.object(
        schema.allOf.map((each) => this.resolved(each)),
        depth,
      );
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === 'object' || schema.properties) return this.object([schema], depth);
    if (type === 'array') return fc.array(this.of(schema.items ?? {}, depth + 1), { maxLength: 3 });
    return this.scalar(type, schema);
  }

  private scalar(type: string | undefined, schema: Schema): fc.Arbitrary<unknown> {
    const { minimum = -1, maximum = 1_000 } = schema;
    if (type === 'integer') return fc.integer({ min: minimum, max: Math.max(minimum, maximum) });
    if (type === 'number') return fc.double({ min: minimum, max: Math.max(minimum, maximum), noNaN: true });
    if (type === 'boolean') return fc.boolean();
    if (type === 'string') return this.text(schema);
    return hostileJson;
  }

  private text({ format, example }: Schema): fc.Arbitrary<unknown> {
    const words = [this.known, fc.string({ maxLength: 20 })];
    if (typeof example === 'string') words.push(fc.constant(example));
    if (format === 'date-time') words.push(fc.constant('2026-11-22T01:00:00.000Z'));
    if (format === 'uri') words.push(fc.constant('https://example.com/x'));
    if (format === 'email') words.push(fc.constant('eve@example.com'));
    return fc.oneof(...words);
  }

  private object(schemas: readonly Schema[], depth: number): fc.Arbitrary<unknown> {
    const properties = Object.assign({}, ...schemas.map((each) => each.properties ?? {})) as Record<string, Schema>;
    const required = schemas.flatMap((each) => each.required ?? []).filter((name) => name in properties);
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, this.of(each, depth + 1)]),
    );
    return fc.record(members, { requiredKeys: required });
  }
}
