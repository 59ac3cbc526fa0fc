import { allStepNodes } from '../steps/step-nodes.js';
import { DefinitionNode } from '../contract/definition-node.js';
import { formatDuration, formatMicros, type JsonObject, type JsonValue } from '@app/kernel';
import {
  type CapabilityChange,
  change,
  type Comparison,
  isEqual,
  itemsByName,
  matchedChanges,
  memberOf,
  placeOf,
} from './capability-change.js';

export function reachChanges(comparison: Comparison): CapabilityChange[] {
  return [
    ...triggerChanges(comparison),
    ...knowledgeChanges(comparison),
    ...modelChanges(comparison),
    ...budgetChanges(comparison),
    ...limitChanges(comparison),
  ];
}

function triggerChanges({ before, after }: Comparison): CapabilityChange[] {
  const named = ({ id, type }: JsonObject): string => `the trigger ${textOf(id)} (${textOf(type)})`;
  const placeIn = (raw: JsonObject, id: string) => placeOf(raw, 'triggers', 'id', id);
  return matchedChanges([itemsByName(before.raw, 'triggers', 'id'), itemsByName(after.raw, 'triggers', 'id')], {
    gained: (id, trigger) =>
      change('trigger_gained', 'warning', `Gains ${named(trigger)}.`, placeIn(after.raw, id), [null, trigger]),
    lost: (id, trigger) =>
      change('trigger_lost', 'warning', `Loses ${named(trigger)}.`, placeIn(before.raw, id), [trigger, null]),
    kept: (id, one, other) => {
      if (isEqual(one, other)) return null;
      const [severity, message] = losesAuth(one, other)
        ? (['critical', `${capital(named(other))} no longer checks its sender: it loses \`auth\`.`] as const)
        : (['warning', `${capital(named(other))} has changed.`] as const);
      return change('trigger_changed', severity, message, placeIn(after.raw, id), [one, other]);
    },
  });
}

function losesAuth(before: JsonObject, after: JsonObject): boolean {
  return before.type === after.type && before.auth !== undefined && after.auth === undefined;
}

function knowledgeChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([basesRead(before.raw), basesRead(after.raw)], {
    gained: (base, use) => {
      const message = `Reads the knowledge base ${base}.`;
      return change('knowledge_gained', 'warning', message, placeOfBase(after.raw, base), [null, use]);
    },
    lost: (base, use) => {
      const message = `No longer reads the knowledge base ${base}.`;
      return change('knowledge_lost', 'info', message, placeOfBase(before.raw, base), [use, null]);
    },
    kept: (base, one, other) => {
      if (isEqual(one, other)) return null;
      const severity = one.citations === 'required' && other.citations !== 'required' ? 'warning' : 'info';
      const message = `Reads the knowledge base ${base} with other settings.`;
      return change('knowledge_changed', severity, message, placeOfBase(after.raw, base), [one, other]);
    },
  });
}

function basesRead(raw: JsonObject): ReadonlyMap<string, JsonObject> {
  const steps = retrieveSteps(raw).map((node) => node.child('retrieve').text('base'));
  const bySteps = new Map(steps.map((base): [string, JsonObject] => [base, { base }]));
  return new Map([...bySteps, ...itemsByName(raw, 'knowledge', 'base')]);
}

function placeOfBase(raw: JsonObject, base: string): readonly (string | number)[] {
  if (itemsByName(raw, 'knowledge', 'base').has(base)) return placeOf(raw, 'knowledge', 'base', base);
  const step = retrieveSteps(raw).find((node) => node.child('retrieve').text('base') === base);
  return step?.pathOf('retrieve') ?? ['steps'];
}

function retrieveSteps(raw: JsonObject): DefinitionNode[] {
  const root = new DefinitionNode(raw, []);
  return [...allStepNodes(root), ...allStepNodes(root, 'on_failure')].filter((node) => node.has('retrieve'));
}

function modelChanges({ before, after }: Comparison): CapabilityChange[] {
  const changes: CapabilityChange[] = [];
  const [was, is] = [before.raw.model ?? null, after.raw.model ?? null];
  if (before.compiled.kind !== after.compiled.kind) {
    const messages = {
      model: 'A model decides what it does.',
      steps: 'It follows a fixed plan without a model.',
      mixed: 'It follows a fixed plan with `agent` steps.',
    };
    const severity = after.compiled.kind === 'steps' ? 'info' : 'critical';
    const message = messages[after.compiled.kind];
    changes.push(change('kind_changed', severity, message, [], [before.compiled.kind, after.compiled.kind]));
  }
  if (was !== null && is !== null && !isEqual(was, is)) {
    const name = ({ compiled: { model } }: Comparison['after']): string =>
      model ? `${model.provider}/${model.name}` : 'none';
    const [one, other] = [name(before), name(after)];
    const message =
      one === other ? `Uses the model ${other} with other settings.` : `Uses the model ${other}, no longer ${one}.`;
    changes.push(change('model_changed', 'warning', message, ['model'], [was, is]));
  }
  if (!isEqual(before.raw.instructions, after.raw.instructions)) {
    changes.push(
      change('instructions_changed', 'warning', 'The instructions for the model have changed.', ['instructions']),
    );
  }
  return changes;
}

function budgetChanges({ before, after }: Comparison): CapabilityChange[] {
  const [one, other] = [before.compiled.limits.budget, after.compiled.limits.budget];
  return (
    [
      ['perRunMicros', 'run'],
      ['perDayMicros', 'day'],
    ] as const
  ).flatMap(([key, unit]): CapabilityChange[] => {
    const [was, is] = [one?.[key] ?? null, other?.[key] ?? null];
    if (was === is) return [];
    const text = (amount: bigint | null, currency: string | undefined): JsonValue =>
      amount === null ? null : `${formatMicros(amount)} ${currency ?? ''}`.trim();
    const values = [text(was, one?.currency), text(is, other?.currency)] as const;
    const path = is === null ? ['limits'] : ['limits', 'budget', `per_${unit}`];
    if (is === null)
      return [change('budget_lost', 'critical', `Loses its budget of ${textOf(values[0])} per ${unit}.`, path, values)];
    if (was === null)
      return [change('budget_gained', 'info', `Gains a budget of ${textOf(values[1])} per ${unit}.`, path, values)];
    const severity = is > was ? 'warning' : 'info';
    return [
      change(
        'budget_changed',
        severity,
        `Budget per ${unit} ${factor(Number(was), Number(is))}: ${textOf(values[1])} instead of ${textOf(values[0])}.`,
        path,
        values,
      ),
    ];
  });
}

const LIMITS = [
  ['max_steps', 'maxSteps', String],
  ['max_duration', 'maxDurationMs', formatDuration],
  ['max_wait', 'maxWaitMs', formatDuration],
] as const;

function limitChanges({ before, after }: Comparison): CapabilityChange[] {
  const limits = LIMITS.flatMap(([name, key, format]): CapabilityChange[] => {
    const [was, is] = [before.compiled.limits[key], after.compiled.limits[key]];
    if (was === is) return [];
    const written = [memberOf(before.raw.limits, name), memberOf(after.raw.limits, name)] as const;
    const text = (limit: number, own: JsonValue): string =>
      own === null ? `${format(limit)} (default)` : textOf(own) || format(limit);
    const values = `${text(is, written[1])} instead of ${text(was, written[0])}`;
    const path = written[1] === null ? ['limits'] : ['limits', name];
    const message = `\`${name}\` ${factor(was, is)}: ${values}.`;
    return [change('limit_changed', is > was ? 'warning' : 'info', message, path, written)];
  });
  const [was, is] = [before.raw.concurrency ?? null, after.raw.concurrency ?? null];
  if (isEqual(was, is)) return limits;
  return [
    ...limits,
    change('concurrency_changed', 'warning', 'The limits of concurrent runs have changed.', ['concurrency'], [was, is]),
  ];
}

function factor(before: number, after: number): string {
  return before === 0 ? 'from nothing' : `×${Number((after / before).toPrecision(3))}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
