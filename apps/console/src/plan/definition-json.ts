export type Json = Record<string, unknown>;

/** Returns the value if it is an object, else an empty object. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Returns the value if it is a list, else an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Returns a string, a number or a boolean as text, and any other value as an empty text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Returns the values of all members with this name, except in data that the definition sends or expects. */
export function valuesOf(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return (value as unknown[]).flatMap((item) => valuesOf(item, name));
  const members = Object.entries(value === null || typeof value !== 'object' ? {} : (value as Json));
  return members.flatMap(([key, member]) => (DATA.has(key) ? [] : key === name ? [member] : valuesOf(member, name)));
}

const DATA: ReadonlySet<string> = new Set(['with', 'input', 'output', 'evaluation', 'request', 'form', 'mock']);
