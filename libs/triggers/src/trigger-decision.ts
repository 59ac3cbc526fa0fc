import {
  type CompiledDefinition,
  type Condition,
  ExpressionError,
  type KnownFiles,
  type Scope,
  type Template,
  withFileMembers,
} from '@app/definition';
import { byteText, type ErrorPlace, findUnsafeJson, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { QueueRules } from '@app/runs';
import type { DeclaredTriggerType } from './trigger.entity.js';

export interface EventRule {
  id: string;
  type: DeclaredTriggerType;
  filter: Condition | null;
  /** If null, the content of the event is the input. */
  map: Template | null;
  adapt?: (rules: QueueRules) => QueueRules;
}

export interface EventContent {
  /** The variables of the expressions in addition to `trigger`, for example `body` or `email`. Empty for a schedule. */
  scope: Scope;
  input: JsonValue;
  facts: JsonObject;
}

export interface TurnDown {
  kind: 'filtered' | 'refused' | 'error';
  reason: string;
  errors: readonly ErrorPlace[];
}

export interface Start<Input extends JsonValue = JsonObject> {
  kind: 'start';
  trigger: JsonObject;
  input: Input;
}

/** If no rule handles it, `rule` is the rule whose reason is reported. The input of a start is not checked yet. */
export type Decision = { rule: EventRule } & (Start<JsonValue> | TurnDown);

/**
 * If an expression of a rule fails, the following rules are tried. `maxInputBytes` limits the size of the mapped input
 * as JSON.
 */
export function decide(
  definition: CompiledDefinition,
  [first, ...others]: Rules,
  arrived: EventContent,
  maxInputBytes: number,
): Decision {
  const content = wanted(arrived, definition);
  let decision = decideBy(definition, first, content, maxInputBytes);
  for (const rule of others) {
    if (decision.kind === 'start' || decision.kind === 'refused') return decision;
    const next = decideBy(definition, rule, content, maxInputBytes);
    if (next.kind !== 'filtered') decision = decision.kind === 'error' && next.kind === 'error' ? decision : next;
  }
  return decision;
}

/** Without the bytes of files, if the definition wants only references to them. */
function wanted(content: EventContent, { files }: CompiledDefinition): EventContent {
  if (files === 'inline') return content;
  const scope = Object.entries(content.scope).map(([name, value]) => [name, withFileMembers(value, files)] as const);
  return { ...content, scope: Object.fromEntries(scope), input: withFileMembers(content.input, files) };
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
  let part = 'filter';
  try {
    if (rule.filter && !rule.filter.evaluate(values)) {
      return {
        kind: 'filtered',
        rule,
        reason: `The filter \`${rule.filter.source}\` is false for the event, so no run starts.`,
        errors: [],
      };
    }
    part = 'map';
    const given = rule.map ? rule.map.evaluate(values) : input;
    const unusable = rule.map || rule.type === 'poll' ? unusableInput(given, maxInputBytes) : undefined;
    return { rule, ...(unusable ? refused([unusable]) : { kind: 'start', trigger, input: given }) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const reason = `The ${part} of the trigger \`${rule.id}\` failed: ${error.message}`;
    return { kind: 'error', rule, reason, errors: [] };
  }
}

/** Checks the input of a run, and fills in its defaults. `files` are the files that the run may use. */
export function completed(
  { input: schema }: CompiledDefinition,
  { trigger, input }: Start<JsonValue>,
  files?: KnownFiles,
): Start | TurnDown {
  const { value, errors } = schema?.complete(input, undefined, files) ?? { value: input, errors: [] };
  return errors.length > 0 || !isJsonObject(value) ? refused(errors) : { kind: 'start', trigger, input: value };
}

function refused(errors: readonly ErrorPlace[]): TurnDown {
  const reason = `The input from the trigger does not match the agent's input schema: ${errors[0]?.detail ?? 'it is not an object.'}`;
  return { kind: 'refused', reason, errors };
}

/**
 * The API has not checked mapped input and poll items. Therefore, this function checks their size, and rejects values
 * that Postgres cannot store.
 */
function unusableInput(input: JsonValue, maxBytes: number): ErrorPlace | undefined {
  const unsafe = findUnsafeJson(input, Infinity);
  if (unsafe) return unsafe;
  if (Buffer.byteLength(JSON.stringify(input)) <= maxBytes) return undefined;
  return { pointer: '', detail: `The input is larger than ${byteText(maxBytes)}.` };
}

const NOT_SHOWN = 'Values are not shown, because the definition redacts some.';

/**
 * Error messages quote values. If the agent has `redact.paths`, the log therefore stores only pointers to the values.
 * The sender of the event gets the full messages.
 */
export function loggedTurnDown(turnDown: TurnDown, { redactPaths }: Pick<CompiledDefinition, 'redactPaths'>): TurnDown {
  if (redactPaths.length === 0 || turnDown.kind === 'filtered') return turnDown;
  const what =
    turnDown.kind === 'error'
      ? 'The filter or map of the trigger failed'
      : "The input from the trigger does not match the agent's input schema";
  const errors = turnDown.errors.map(({ pointer }) => ({
    pointer,
    detail: `This value does not match the agent's input schema. ${NOT_SHOWN}`,
  }));
  return { kind: turnDown.kind, reason: `${what}. ${NOT_SHOWN}`, errors };
}
