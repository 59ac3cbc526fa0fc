import { type CompiledDefinition, type Condition, ExpressionError, type Scope, type Template } from '@app/definition';
import { byteText, type ErrorPlace, findUnsafeJson, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { QueueRules } from '@app/runs';
import type { DeclaredTriggerType } from './trigger.entity.js';

/** What a trigger does with an event, whatever its type: `filter` ignores it, `map` makes the run's input. */
export interface EventRule {
  id: string;
  type: DeclaredTriggerType;
  /** Null lets everything through. */
  filter: Condition | null;
  /** Null: what arrived is the input. */
  map: Template | null;
  /** What it asks of the queue beyond what the definition does. */
  adapt?: (rules: QueueRules) => QueueRules;
}

/** An event as the expressions of a trigger see it. */
export interface EventContent {
  /** The value in scope besides `trigger`, by its name (`body`, `email`); none for a schedule. */
  scope: Scope;
  /** The input where the trigger maps nothing. */
  input: JsonObject;
  /** What a run says about its trigger, besides its type and the trigger's id. */
  facts: JsonObject;
}

/** Why an event starts no run. `errors` say where the input is wrong, with pointers that begin at the input. */
export interface TurnDown {
  kind: 'filtered' | 'refused' | 'error';
  reason: string;
  errors: readonly ErrorPlace[];
}

export interface Start {
  kind: 'start';
  trigger: JsonObject;
  input: JsonObject;
}

/** `rule`: the one that took the event, or that says why nothing comes of it. */
export type Decision = { rule: EventRule } & (Start | TurnDown);

/**
 * What becomes of an event by the rules that it could be for: the first that does not ignore it takes it. An expression that
 * fails starts nothing; a rule after it may still take the event. `maxInputBytes`: of what is mapped, as JSON. Pure: asking twice
 * gives the same answer.
 */
export function decide(
  definition: CompiledDefinition,
  [first, ...others]: Rules,
  content: EventContent,
  maxInputBytes: number,
): Decision {
  let decision = decideBy(definition, first, content, maxInputBytes);
  for (const rule of others) {
    if (decision.kind === 'start' || decision.kind === 'refused') return decision;
    const next = decideBy(definition, rule, content, maxInputBytes);
    // Of several that do not start a run, the one with something wrong is the one to tell about.
    if (next.kind !== 'filtered') decision = decision.kind === 'error' && next.kind === 'error' ? decision : next;
  }
  return decision;
}

export type Rules = readonly [EventRule, ...EventRule[]];

function decideBy(
  definition: CompiledDefinition,
  rule: EventRule,
  { scope, input, facts }: EventContent,
  maxInputBytes: number,
): Decision {
  const trigger = { type: rule.type, id: rule.id, ...facts };
  const values = { ...scope, trigger };
  try {
    if (rule.filter && !rule.filter.evaluate(values)) {
      return { kind: 'filtered', rule, reason: `The filter \`${rule.filter.source}\` ignores it.`, errors: [] };
    }
    const given = rule.map ? rule.map.evaluate(values) : input;
    return startWith(rule, trigger, given, inputErrors(definition, rule, given, maxInputBytes));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { kind: 'error', rule, reason: error.message, errors: [] };
  }
}

function startWith(rule: EventRule, trigger: JsonObject, input: JsonValue, errors: readonly ErrorPlace[]): Decision {
  const [error] = errors;
  if (error || !isJsonObject(input)) {
    const reason = `What it gives does not fit the agent's input: ${error?.detail ?? 'it is no object.'}`;
    return { kind: 'refused', rule, reason, errors };
  }
  return { kind: 'start', rule, trigger, input };
}

/** What was mapped has been made here, so it has yet to show that it can be stored. Pointers begin at the input. */
function inputErrors(
  { input: schema }: CompiledDefinition,
  rule: EventRule,
  input: JsonValue,
  maxBytes: number,
): ErrorPlace[] {
  if (!rule.map) return schema?.validate(input) ?? [];
  const unsafe = findUnsafeJson(input, Infinity);
  if (unsafe) return [unsafe];
  if (Buffer.byteLength(JSON.stringify(input)) > maxBytes)
    return [{ pointer: '', detail: `The input is larger than ${byteText(maxBytes)}.` }];
  return schema?.validate(input) ?? [];
}
