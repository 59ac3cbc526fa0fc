import { type Expression, ExpressionError, type PollTrigger } from '@app/definition';
import { canonicalJson, type JsonValue, nextTurn } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

export interface PolledItem {
  key: string | number | boolean;
  receipt: string;
  value: JsonValue;
}

export interface PolledItems {
  items: PolledItem[];
  problem: string | null;
}

/** The message becomes the `last_error` of the trigger. */
export class PollFailure extends Error {}

const MAX_SHOWN_KEY = 200;
const ITEMS_PER_TURN = 200;

/**
 * If a promotion changes a setting, items or their keys may change. The next poll then counts as the first poll: only
 * `backfill` items start runs.
 */
export function fingerprintOf({ operation, items, key }: PollTrigger): string {
  return sha256(canonicalJson([operation, items.source, key.source]))
    .toString('base64url')
    .slice(0, 16);
}

/** @throws PollFailure if `items` cannot be computed or is not a list */
export async function polledItems(trigger: PollTrigger, output: JsonValue): Promise<PolledItems> {
  const list = evaluated(trigger.items, { output }, 'items');
  if (!Array.isArray(list)) throw new PollFailure(`\`items\` of the trigger is ${kindOf(list)}, not a list.`);
  const prefix = `poll:${trigger.id}:${fingerprintOf(trigger)}`;
  const items = new Map<string, PolledItem>();
  let problem: string | null = null;
  for (const [index, value] of list.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await nextTurn();
    const key = keyOf(trigger, value);
    if (key instanceof PollFailure) {
      problem ??= `The key of item ${index} cannot be used: ${key.message}`;
      continue;
    }
    const receipt = `${prefix}:${receiptOf(key)}`;
    if (!items.has(receipt)) items.set(receipt, { key, receipt, value });
  }
  return { items: [...items.values()], problem };
}

function keyOf({ key }: PollTrigger, item: JsonValue): PolledItem['key'] | PollFailure {
  try {
    const value = key.evaluate({ item });
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    return new PollFailure(`it is ${kindOf(value)}, not text, a number or a bool.`);
  } catch (error) {
    if (error instanceof ExpressionError) return new PollFailure(error.message);
    throw error;
  }
}

/** A text and a number never have the same stored key. A long key is hashed, because the stored keys are indexed. */
function receiptOf(key: PolledItem['key']): string {
  const text = JSON.stringify(key);
  return text.length <= MAX_SHOWN_KEY ? text : sha256(text).toString('base64url');
}

function evaluated(expression: Expression, scope: Record<string, JsonValue>, name: string): JsonValue {
  try {
    return expression.evaluate(scope);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new PollFailure(`\`${name}\` of the trigger cannot be computed: ${error.message}`, { cause: error });
  }
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
