import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** The value is read for each sync and never stored in a configuration. */
const REFERENCE = /^\$\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,127})\s*\}\}$/;

const WRITE_SECRET = 'Store the value with `PUT /v1/secrets/NAME`, and write `${{ secrets.NAME }}` as';

/** The error message does not repeat the given text, because it may be a credential. */
export const SECRET_REFERENCE = {
  type: 'string',
  pattern: REFERENCE.source,
  mismatch: {
    detail: '{name} must refer to a secret. A credential in plain text is not accepted.',
    suggestion: `${WRITE_SECRET} \`{name}\`.`,
  },
} as const;

/** Authors often write them in `auth` instead of `secret`. */
export const CREDENTIAL_HINTS: Readonly<Record<string, string>> = Object.fromEntries(
  ['token', 'password', 'api_key', 'apiKey', 'key', 'value', 'bearer', 'credentials'].map((name) => [
    name,
    `${WRITE_SECRET} \`secret\`.`,
  ]),
);

/** Shown instead of a reference. If a request sends this value back, the stored reference is kept. */
const HIDDEN = '***';

function secretName(text: JsonValue | undefined): string | undefined {
  return typeof text === 'string' ? REFERENCE.exec(text)?.[1] : undefined;
}

export function secretReferences(config: JsonValue, at: string): { name: string; pointer: string }[] {
  const name = secretName(config);
  if (name !== undefined) return [{ name, pointer: at }];
  return entriesOf(config).flatMap(([key, value]) => secretReferences(value, `${at}/${key}`));
}

export function withoutSecrets(config: JsonObject): JsonObject {
  return mapped(config, (text) => (secretName(text) === undefined ? text : HIDDEN));
}

export function withSecrets(config: JsonObject, values: ReadonlyMap<string, string>): JsonObject {
  return mapped(config, (text) => values.get(secretName(text) ?? '') ?? text);
}

export function withHiddenRestored(given: JsonObject, present: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const before = present[key] ?? null;
      if (value === HIDDEN && secretName(before) !== undefined) return [key, before];
      return [key, isJsonObject(value) && isJsonObject(before) ? withHiddenRestored(value, before) : value];
    }),
  );
}

function mapped(config: JsonObject, change: (text: string) => string): JsonObject {
  const each = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(each);
    return isJsonObject(value) ? mapped(value, change) : value;
  };
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, each(value)]));
}

function entriesOf(value: JsonValue): [string, JsonValue][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
