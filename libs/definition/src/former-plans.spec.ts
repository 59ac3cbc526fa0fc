import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { parseDefinition } from './index.js';
import { INVOICE_ROUTER, REFUND_DESK } from './testing/example-definitions.js';
import { LIMITS } from './testing/limits.js';

/**
 * Compiled definitions of an earlier release, as data without functions. Do not update `former-plans.json` when the
 * compiler changes: a stored definition must keep its meaning in later releases. So far, only the types of the fields
 * of an e-mail were added.
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
    // A newer release may add fields to a compiled definition, but must not change the existing fields.
    expect(withoutFunctions(parsed.compiled)).toMatchObject(former);
  });
});

/**
 * Converts a compiled definition to JSON: maps become objects, sets become lists, bigints and patterns become strings,
 * and functions are left out.
 */
function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'bigint' || value instanceof RegExp) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) return withoutFunctions(Object.fromEntries(value));
  if (Array.isArray(value) || value instanceof Set) return [...value].map(withoutFunctions);
  const members = Object.entries(value).filter(([, member]) => member !== undefined && typeof member !== 'function');
  return Object.fromEntries(members.map(([key, member]) => [key, withoutFunctions(member)]));
}
