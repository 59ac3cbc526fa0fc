import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { parseDefinition } from './index.js';
import { INVOICE_ROUTER, REFUND_DESK } from './testing/example-definitions.js';
import { LIMITS } from './testing/limits.js';

/**
 * The plans to which the release before `definition-additions.md` compiled these definitions, without functions. Since
 * then, only the types of the fields of an e-mail have become known. The file is written once and never updated: a
 * definition of that release must keep its meaning.
 */
const FORMER_PLANS = JSON.parse(readFileSync(join(import.meta.dirname, 'testing/former-plans.json'), 'utf8')) as Record<
  string,
  JsonObject
>;
const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/agents');
const EXAMPLES: Readonly<Record<string, string>> = { REFUND_DESK, INVOICE_ROUTER };

describe('a definition of the former release', () => {
  it.each(Object.entries(FORMER_PLANS))('%s compiles to the same plan', (name, former) => {
    const text = EXAMPLES[name] ?? readFileSync(join(FIXTURES, name), 'utf8');
    const parsed = parseDefinition(text, 'yaml', LIMITS);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
    // A plan may have new fields, but each field of the former plan keeps its value.
    expect(withoutFunctions(parsed.compiled)).toMatchObject(former);
  });
});

/** Returns the data of a plan: maps as objects, sets as lists, numbers of any size and patterns as text. */
function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'bigint' || value instanceof RegExp) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) return withoutFunctions(Object.fromEntries(value));
  if (Array.isArray(value) || value instanceof Set) return [...value].map(withoutFunctions);
  const members = Object.entries(value).filter(([, member]) => member !== undefined && typeof member !== 'function');
  return Object.fromEntries(members.map(([key, member]) => [key, withoutFunctions(member)]));
}
