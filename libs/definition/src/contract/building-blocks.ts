import { DURATION_PATTERN, type JsonObject, type JsonValue } from '@app/kernel';

/** The patterns of the definition format. `definition-wording.ts` has a message for each. */
export const PATTERNS = {
  name: '^[a-z0-9][a-z0-9-]{0,62}$',
  identifier: '^[A-Za-z][A-Za-z0-9_-]{0,62}$',
  /** A name that expressions can use without brackets and quotes. */
  variable: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
  policyName: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$',
  toolName: '^[a-z][a-z0-9_-]{0,62}$',
  mcpTool: '^[a-z][a-z0-9_]{0,62}$',
  inputMember: '^[^\\p{Cc}]{1,128}$',
  operationName: '^[A-Za-z][A-Za-z0-9_.-]{0,127}$',
  operationReference: '^[a-z][a-z0-9_-]{0,62}\\.[A-Za-z][A-Za-z0-9_.-]{0,127}$',
  duration: DURATION_PATTERN,
  memory: '^[1-9][0-9]{0,5}(KiB|MiB)$',
  money: '^[0-9]{1,12}(\\.[0-9]{1,6})?$',
  currency: '^[A-Z]{3}$',
  httpUrl: '^https?://[^\\s/?#@]+[^\\s]*$',
  path: '^(/[^\\s?#]*)?$',
  computedPath: '^/',
  headerName: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$",
  sha256: '^[0-9a-f]{64}$',
  email: '^[^\\s@<>,]{1,64}@[^\\s@<>,]{1,190}$',
  cron: '^\\s*\\S+(\\s+\\S+){4}\\s*$',
  /** A text that consists of exactly one reference to a secret. */
  secretReference: '^\\$\\{\\{\\s*secrets\\.[A-Za-z_][A-Za-z0-9_]{0,127}\\s*\\}\\}$',
  model: '^[a-z0-9][a-z0-9_-]*/\\S+$',
} as const;

const EXPRESSION = '\\$\\{\\{';

export function object(
  description: string,
  properties: Record<string, JsonObject>,
  required: readonly string[] = [],
  extra: JsonObject = {},
): JsonObject {
  return {
    type: 'object',
    description,
    properties,
    ...(required.length > 0 ? { required: [...required] } : {}),
    patternProperties: { '^x-': {} },
    additionalProperties: false,
    ...extra,
  };
}

/**
 * Returns the schema of a value that is a string or an object. Mistakes are reported only for the form that the author
 * used.
 */
export function textOrObject(description: string, whenText: JsonObject, whenObject: JsonObject): JsonObject {
  return { description, type: ['string', 'object'], if: { type: 'string' }, then: whenText, else: whenObject };
}

export function dictionary(
  description: string,
  keyPattern: string,
  value: JsonObject,
  extra: JsonObject = {},
): JsonObject {
  return {
    type: 'object',
    description,
    propertyNames: { pattern: keyPattern },
    additionalProperties: value,
    ...extra,
  };
}

export function text(description: string, extra: JsonObject = {}): JsonObject {
  return { type: 'string', description, minLength: 1, ...extra };
}

export function pattern(description: string, name: keyof typeof PATTERNS, extra: JsonObject = {}): JsonObject {
  return { type: 'string', description, pattern: PATTERNS[name], ...extra };
}

/** Returns the schema of a URL that may contain `${{ CEL }}`. A URL without an expression must match `httpUrl`. */
export function computedUrl(description: string): JsonObject {
  return text(description, { if: { pattern: EXPRESSION }, else: { pattern: PATTERNS.httpUrl } });
}

export function computedPath(description: string): JsonObject {
  const isComputed = { pattern: EXPRESSION };
  return {
    type: 'string',
    description,
    if: isComputed,
    then: { pattern: PATTERNS.computedPath },
    else: { pattern: PATTERNS.path },
  };
}

export function choice(description: string, values: readonly string[], extra: JsonObject = {}): JsonObject {
  return { type: 'string', description, enum: [...values], ...extra };
}

export function flag(description: string, byDefault: boolean): JsonObject {
  return { type: 'boolean', description, default: byDefault };
}

export function whole(description: string, minimum: number, maximum: number, extra: JsonObject = {}): JsonObject {
  return { type: 'integer', description, minimum, maximum, ...extra };
}

export function number(description: string, minimum: number, maximum: number, extra: JsonObject = {}): JsonObject {
  return { type: 'number', description, minimum, maximum, ...extra };
}

export function list(description: string, items: JsonObject, maxItems: number, extra: JsonObject = {}): JsonObject {
  return { type: 'array', description, items, maxItems, ...extra };
}

export function duration(description: string, extra: JsonObject = {}): JsonObject {
  return pattern(description, 'duration', extra);
}

export function cel(description: string): JsonObject {
  return {
    type: 'string',
    description: `${description} CEL, without \`\${{ }}\`.`,
    minLength: 1,
    maxLength: 1_024,
    contentMediaType: 'text/x-cel',
  };
}

export function any(description: string, extra: JsonObject = {}): JsonObject {
  return { description, ...extra };
}

export function jsonSchema(description: string): JsonObject {
  return { type: 'object', description: `${description} A JSON Schema (2020-12).` };
}

export function ref(name: string, description?: string): JsonObject {
  return { $ref: `#/$defs/${name}`, ...(description ? { description } : {}) };
}

/** Selects the schema by the value of `property`, so that mistakes are reported only for the selected schema. */
export function byValue(property: string, kinds: Readonly<Record<string, JsonObject>>): JsonObject {
  const cases: JsonValue[] = Object.entries(kinds).map(([value, schema]) => ({
    if: { properties: { [property]: { const: value } }, required: [property] },
    then: schema,
  }));
  return {
    type: 'object',
    required: [property],
    properties: { [property]: choice('Kind, which decides the other keys that are allowed.', Object.keys(kinds)) },
    allOf: cases,
  };
}

/** Selects the schema by the key that is present. Exactly one of the keys is required. */
export function byPresence(kinds: Readonly<Record<string, JsonObject>>): JsonObject {
  const keys = Object.keys(kinds);
  const cases: JsonValue[] = Object.entries(kinds).map(([key, schema]) => ({ if: { required: [key] }, then: schema }));
  // Declares the keys also as properties, so that editors suggest them while none of them is present.
  const properties = Object.fromEntries(
    Object.entries(kinds).map(([key, { description = '' }]): [string, JsonValue] => [key, { description }]),
  );
  return { type: 'object', properties, oneOf: keys.map((key) => ({ required: [key] })), allOf: cases };
}
