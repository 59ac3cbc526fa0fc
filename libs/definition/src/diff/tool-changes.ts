import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { DefinitionNode } from '../compile/context/definition-node.js';
import { TOOL_TYPES, type ToolOperation, type ToolType } from '../model/compiled-tool.js';
import { TOOLS } from '../tools/registry.js';
import {
  type CapabilityChange,
  change,
  type Comparison,
  isEqual,
  itemsByName,
  matched,
  memberOf,
  placeOf,
} from './capability-change.js';

/** Changes of operations, their scopes and effects, their targets and secrets. */
export function toolChanges({ before, after }: Comparison): CapabilityChange[] {
  const { gained, lost, kept } = matched(ownOperations(before), ownOperations(after));
  return [
    ...gained.map(([name, operation]) => {
      const severity = operation.scope === 'write' ? 'critical' : 'info';
      return change(
        'tool_gained',
        severity,
        `Gains the ${operation.scope} tool ${name}.`,
        pathOf(after.raw, operation),
        [null, { scope: operation.scope, effect: operation.effect }],
      );
    }),
    ...lost.map(([name, operation]) =>
      change('tool_lost', 'info', `Loses the ${operation.scope} tool ${name}.`, pathOf(before.raw, operation), [
        { scope: operation.scope, effect: operation.effect },
        null,
      ]),
    ),
    ...kept.flatMap(([, one, other]) => operationChanges(one, other, pathOf(after.raw, other))),
    ...targetChanges({ before, after }),
    ...secretChanges({ before, after }),
  ];
}

/** All operations except those of the built-in tool `knowledge`, whose changes reach-changes.ts reports. */
function ownOperations({ compiled }: Comparison['before']): ReadonlyMap<string, ToolOperation> {
  return new Map([...compiled.operations].filter(([, { tool }]) => compiled.tools.get(tool)?.kind !== 'knowledge'));
}

function operationChanges(
  before: ToolOperation,
  after: ToolOperation,
  path: readonly (string | number)[],
): CapabilityChange[] {
  const name = after.fullName;
  const changes: CapabilityChange[] = [];
  if (before.scope !== after.scope) {
    const severity = after.scope === 'write' ? 'critical' : 'warning';
    const message = `The tool ${name} counts as a ${after.scope}, no longer as a ${before.scope}.`;
    changes.push(change('tool_scope_changed', severity, message, path, [before.scope, after.scope]));
  } else if (before.effect !== after.effect) {
    const severity = after.effect === 'idempotent' ? 'critical' : 'warning';
    const more = after.effect === 'idempotent' ? ', so a call may be sent again after a crash' : '';
    const message = `The effect of ${name} is ${after.effect}, no longer ${before.effect}${more}.`;
    changes.push(change('tool_effect_changed', severity, message, path, [before.effect, after.effect]));
  }
  const [request, otherRequest] = [before, after].map(
    ({ http }) => http && { method: http.method, path: pathText(http.path) },
  );
  if (!isEqual(request, otherRequest)) {
    const message = `Calls of ${name} use another method or path.`;
    changes.push(change('tool_target_changed', 'warning', message, path, [request ?? null, otherRequest ?? null]));
  }
  return changes;
}

function targetChanges({ before, after }: Comparison): CapabilityChange[] {
  const { kept } = matched(itemsByName(before.raw, 'tools', 'name'), itemsByName(after.raw, 'tools', 'name'));
  return kept.flatMap(([name, one, other]) => {
    const [was, is] = [typeOf(one), typeOf(other)];
    const members = new Set(['type', ...TOOLS[was].target, ...TOOLS[is].target]);
    return [...members]
      .filter((member) => !isEqual(one[member], other[member]))
      .map((member) => {
        const path = [...placeOf(after.raw, 'tools', 'name', name), ...(member in other ? [member] : [])];
        const values = [memberOf(one, member), memberOf(other, member)] as const;
        return change('tool_target_changed', 'critical', TOOLS[is].describe(name, member), path, values);
      });
  });
}

function typeOf(tool: JsonObject): ToolType {
  return new DefinitionNode(tool, ['tools']).choice('type', TOOL_TYPES);
}

function secretChanges({ before, after }: Comparison): CapabilityChange[] {
  const [one, other] = [before, after].map(
    ({ compiled }) =>
      new Map(
        [...compiled.tools.values()].flatMap(({ name, secretNames }) => secretNames.map((secret) => [secret, name])),
      ),
  );
  if (!one || !other) return [];
  const { gained, lost } = matched(one, other);
  return [
    ...gained.map(([secret, tool]) =>
      change('secret_gained', 'warning', `Uses the secret ${secret}.`, placeOf(after.raw, 'tools', 'name', tool), [
        null,
        secret,
      ]),
    ),
    ...lost.map(([secret, tool]) =>
      change(
        'secret_lost',
        'info',
        `No longer uses the secret ${secret}.`,
        placeOf(before.raw, 'tools', 'name', tool),
        [secret, null],
      ),
    ),
  ];
}

/** The path of the operation, or the path of its tool if the definition only includes the operation by name. */
function pathOf(raw: JsonObject, { tool, name }: ToolOperation): readonly (string | number)[] {
  const path = placeOf(raw, 'tools', 'name', tool);
  const index = path[1];
  const item: JsonValue = typeof index === 'number' && Array.isArray(raw.tools) ? (raw.tools[index] ?? null) : null;
  const operations = memberOf(item, 'operations');
  const at = Array.isArray(operations) ? operations.findIndex((each) => isJsonObject(each) && each.name === name) : -1;
  return at < 0 ? path : [...path, 'operations', at];
}

function pathText(parts: readonly ({ text: string } | { parameter: string })[]): string {
  return parts.map((part) => ('text' in part ? part.text : `{${part.parameter}}`)).join('');
}
