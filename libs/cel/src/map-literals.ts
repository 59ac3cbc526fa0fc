import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression.js';
import { engineMap, type EngineMap, fail, uintOf } from './function-spec.js';

const KEY_HINT = 'Convert the key with `string(…)`.';
const REPEATED_HINT = 'Remove one entry, or replace entries with `.merge(…)`.';

export function mapOf(entries: readonly (readonly [unknown, unknown])[]): EngineMap {
  const texts = new Set<string>();
  const members = entries.map(([key, value]): [string, unknown] => {
    const text = keyText(key) ?? fail('has a key that is not a string, a whole number or a bool', 'type', KEY_HINT);
    if (texts.has(text)) fail('has two entries with the same key', 'failed', REPEATED_HINT);
    texts.add(text);
    return [text, value];
  });
  return engineMap(members);
}

/** Throws {@link ExpressionError} if the literal keys of a map make its evaluation fail in every run. */
export function checkKeys(source: string, node: ASTNode): void {
  if (node.op !== 'map') return;
  const texts = new Set<string>();
  for (const [key] of node.args) {
    if (key.op !== 'value') continue;
    const name = source.slice(key.start, key.end);
    const refuse = (words: string, hint: string): never => {
      throw new ExpressionError('type', `The key \`${name}\` of a map ${words}.`, source, hint, key.start);
    };
    const text = keyText(key.args) ?? refuse('is not a string, a whole number or a bool', KEY_HINT);
    if (texts.has(text)) refuse('is used twice, because keys become strings', REPEATED_HINT);
    texts.add(text);
  }
}

/** Numbers from JSON are doubles, so a double may be a key if it is a whole number. */
function keyText(key: unknown): string | undefined {
  if (typeof key === 'string') return key;
  const isKey =
    typeof key === 'bigint' || typeof key === 'boolean' || Number.isSafeInteger(key) || uintOf(key) !== undefined;
  return isKey ? String(uintOf(key) ?? key) : undefined;
}
