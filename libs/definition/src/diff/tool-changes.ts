import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { DefinitionNode } from '../contract/definition-node.js';
import { type PathPart, TOOL_TYPES, type ToolOperation, type ToolType } from '../model/compiled-tool.js';
import { TOOLS } from '../tools/registry.js';
import {
  type CapabilityChange,
  type ChangeSeverity,
  change,
  type Comparison,
  isEqual,
  itemsByName,
  matched,
  memberOf,
  placeOf,
} from './capability-change.js';

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
    ...requestChanges({ before, after }),
    ...targetChanges({ before, after }),
    ...secretChanges({ before, after }),
  ];
}

/**
 * Returns the operations that this file compares. Those of the built-in tool `knowledge` are compared in
 * reach-changes.ts, and those of state tools in state-changes.ts.
 */
function ownOperations({ compiled }: Comparison['before']): ReadonlyMap<string, ToolOperation> {
  const isOwn = ({ tool: name }: ToolOperation): boolean => {
    const kind = compiled.tools.get(name)?.kind;
    return kind !== 'knowledge' && kind !== 'state';
  };
  return new Map([...compiled.operations].filter(([, operation]) => isOwn(operation)));
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
    const message = `The scope of ${name} changes from ${before.scope} to ${after.scope}.`;
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
  if ((before.id ?? before.name) !== (after.id ?? after.name)) {
    const message = `Calls of ${name} go to another operation of the tool.`;
    const ids = [before.id ?? before.name, after.id ?? after.name] as const;
    changes.push(change('tool_target_changed', 'critical', message, path, ids));
  }
  if (!isEqual(request, otherRequest)) {
    const message = `Calls of ${name} use another method or path.`;
    changes.push(change('tool_target_changed', 'warning', message, path, [request ?? null, otherRequest ?? null]));
  }
  changes.push(...queryChanges(before, after, path));
  return changes;
}

/**
 * Compares the SQL of an operation. A changed statement of a write operation is critical, because it may change other
 * data than before.
 */
function queryChanges(
  { sql: was }: ToolOperation,
  { sql: is, fullName, scope }: ToolOperation,
  path: readonly (string | number)[],
): CapabilityChange[] {
  if (!was || !is) return [];
  const [before, after] = [was, is].map(({ text, params }): JsonValue => ({ sql: text, params: [...params] }));
  if (!isEqual(before, after)) {
    const severity = scope === 'write' ? 'critical' : 'warning';
    const message = `Calls of ${fullName} execute another statement.`;
    return [change('tool_query_changed', severity, message, path, [before ?? null, after ?? null])];
  }
  if (was.maxRows === is.maxRows) return [];
  const message = `Calls of ${fullName} return at most ${is.maxRows} rows, no longer ${was.maxRows}.`;
  return [change('tool_query_changed', 'warning', message, path, [was.maxRows, is.maxRows])];
}

function targetChanges({ before, after }: Comparison): CapabilityChange[] {
  const { kept } = matched(itemsByName(before.raw, 'tools', 'name'), itemsByName(after.raw, 'tools', 'name'));
  return kept.flatMap(([name, one, other]) => {
    const [was, is] = [typeOf(one), typeOf(other)];
    const members = new Set(['type', ...TOOLS[was].target, ...TOOLS[is].target]);
    const changed = (
      kind: string,
      { severity, member, message }: { severity: ChangeSeverity; member: string; message: string },
    ): CapabilityChange => {
      const path = [...placeOf(after.raw, 'tools', 'name', name), ...(member in other ? [member] : [])];
      return change(kind, severity, message, path, [memberOf(one, member), memberOf(other, member)]);
    };
    const compared = was === is ? (TOOLS[is].compare?.(one, other) ?? []) : [];
    return [
      ...[...members]
        .filter((member) => !isEqual(one[member], other[member]))
        .map((member) =>
          changed('tool_target_changed', { severity: 'critical', member, message: TOOLS[is].describe(name, member) }),
        ),
      ...compared.map((each) => changed(each.kind, { ...each, message: `The tool ${name} ${each.message}` })),
    ];
  });
}

/** The keys of an operation that decide what is sent and how the response is read. */
const REQUEST_KEYS = ['query', 'headers', 'body', 'content', 'response', 'ok_status'];
const REQUEST_EFFECT = 'Its calls may send another request, or read the response in another way.';

function requestChanges({ before, after }: Comparison): CapabilityChange[] {
  const { kept } = matched(ownOperations(before), ownOperations(after));
  return kept.flatMap(([name, one, other]) => {
    const paths = [pathOf(before.raw, one), pathOf(after.raw, other)] as const;
    const [was, is] = [requestParts(before.raw, paths[0]), requestParts(after.raw, paths[1])];
    if (isEqual(was, is)) return [];
    if (was === null) {
      const message = `The operation ${name} now has ${keysOf(is)}. ${REQUEST_EFFECT}`;
      return [change('tool_request_gained', 'warning', message, paths[1], [was, is])];
    }
    if (is === null) {
      const message = `The operation ${name} no longer has ${keysOf(was)}. ${REQUEST_EFFECT}`;
      return [change('tool_request_lost', 'info', message, paths[0], [was, is])];
    }
    const message = `Calls of ${name} may send another request, or read the response in another way.`;
    return [change('tool_request_changed', 'warning', message, paths[1], [was, is])];
  });
}

function keysOf(parts: JsonObject | null): string {
  return Object.keys(parts ?? {})
    .map((key) => `\`${key}\``)
    .join(', ');
}

/** Returns the {@link REQUEST_KEYS} of an operation with their values, or null if it has none of them. */
function requestParts(raw: JsonObject, path: readonly (string | number)[]): JsonObject | null {
  const [list, tool, operations, at] = path;
  if (list !== 'tools' || typeof tool !== 'number' || operations !== 'operations' || typeof at !== 'number')
    return null;
  const node = new DefinitionNode(raw, []).items('tools')[tool]?.items('operations')[at];
  const written = REQUEST_KEYS.flatMap((key): [string, JsonValue][] =>
    node?.has(key) ? [[key, node.raw(key) ?? null]] : [],
  );
  return written.length > 0 ? Object.fromEntries(written) : null;
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

function pathOf(raw: JsonObject, { tool, name }: ToolOperation): readonly (string | number)[] {
  const path = placeOf(raw, 'tools', 'name', tool);
  const index = path[1];
  const item: JsonValue = typeof index === 'number' && Array.isArray(raw.tools) ? (raw.tools[index] ?? null) : null;
  const operations = memberOf(item, 'operations');
  const at = Array.isArray(operations) ? operations.findIndex((each) => isJsonObject(each) && each.name === name) : -1;
  return at < 0 ? path : [...path, 'operations', at];
}

function pathText(parts: readonly PathPart[]): string {
  return parts
    .map((part) => {
      if ('text' in part) return part.text;
      return 'parameter' in part ? `{${part.parameter}}` : JSON.stringify(part.value.source);
    })
    .join('');
}
