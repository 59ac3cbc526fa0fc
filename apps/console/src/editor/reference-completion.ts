import { type Json, listOf, objectOf, textOf } from '../plan/definition-json.js';
import type { DefinitionPlace } from './definition-place.js';
import { operationsOf } from '../plan/definition-plan.js';
import type { Suggestion } from './suggestion.js';

/** The names of the workspace that a definition can contain. A list is empty if the person may not read it. */
export interface WorkspaceNames {
  secrets: readonly string[];
  groups: readonly string[];
  bases: readonly string[];
  connections: readonly string[];
  agents: readonly string[];
}

/** The operations that every agent has without declaring a tool. */
const BUILT_IN = [
  'state.get',
  'state.put',
  'state.delete',
  'state.list',
  'state.increment',
  'files.create',
  'files.text',
];

/** Returns the full names of the operations that steps and policies can name. */
export function operationNames(definition: Json): string[] {
  const declared = listOf(definition.tools).map(objectOf).flatMap(namesOf);
  const knowledge = definition.knowledge === undefined ? [] : ['knowledge.search', 'knowledge.retrieve'];
  return [...declared, ...knowledge, ...BUILT_IN];
}

function namesOf(tool: Json): string[] {
  const name = textOf(tool.name);
  if (tool.type === 'email') return [`${name}.send`];
  if (tool.type === 'agent') return [`${name}.run`];
  return operationsOf(tool).filter((operation) => operation.includes('.'));
}

/** Returns the names that fit at the place, or nothing if the place does not name anything. */
export function referenceSuggestions(place: DefinitionPlace, names: WorkspaceNames): Suggestion[] {
  const { path, definition } = place;
  const last = path.at(-1);
  const key = String(typeof last === 'number' ? path.at(-2) : last);
  const own = place.around.at(-1) ?? {};
  if (key === 'value' && path.includes('assert')) return assertionNames(textOf(own.type), definition);
  const [what, found] = referenced(key, path, names, definition) ?? [];
  return found === undefined || what === undefined ? [] : entries(found, what);
}

function referenced(
  key: string,
  path: DefinitionPlace['path'],
  names: WorkspaceNames,
  definition: Json,
): readonly [what: string, names: readonly string[]] | undefined {
  const [list] = path;
  const isStep = list === 'steps' || list === 'on_failure';
  if (path.includes('with') || path.includes('input') || path.includes('output')) return undefined;
  switch (key) {
    case 'approval':
      return ['approval rule', Object.keys(objectOf(definition.approvals))];
    case 'tool':
      return isStep || list === 'triggers' ? ['operation', operationNames(definition)] : undefined;
    case 'tools':
      return isStep ? ['operation', operationNames(definition)] : undefined;
    case 'approvers':
      return ['group', names.groups];
    case 'to':
      return isStep || list === 'hand_off' ? ['group', names.groups] : undefined;
    case 'base':
      return isStep || list === 'knowledge' ? ['knowledge base', names.bases] : undefined;
    case 'connection':
      return ['connection', names.connections];
    case 'agent':
      return list === 'tools' ? ['agent', names.agents] : undefined;
    default:
      return undefined;
  }
}

function assertionNames(type: string, definition: Json): Suggestion[] {
  const policies = listOf(definition.policies).map((policy) => textOf(objectOf(policy).name));
  if (type === 'approval_requested')
    return [...entries(policies, 'policy'), ...entries(Object.keys(objectOf(definition.approvals)), 'approval rule')];
  if (type === 'denied') return [...entries(policies, 'policy'), ...entries(operationNames(definition), 'operation')];
  if (type === 'file_shown')
    return entries(Object.keys(objectOf(objectOf(definition.input).properties)), 'member of the input');
  return type.startsWith('tool_') || type === 'not_tool_called' ? entries(operationNames(definition), 'operation') : [];
}

function entries(names: readonly string[], what: string): Suggestion[] {
  return names.map((name) => ({
    label: name,
    insert: name,
    detail: what,
    info: '',
    rank: BUILT_IN.includes(name) ? -1 : 0,
  }));
}

/** Keys whose value is usually a secret. */
const SECRET_KEYS = [
  'token',
  'username',
  'password',
  'value',
  'client_id',
  'client_secret',
  'dsn',
  'access_key_id',
  'secret_access_key',
];

/** Returns references to secrets for the value of a key that holds one. `written` is what the value has so far. */
export function secretSuggestions(
  { path }: DefinitionPlace,
  written: string,
  { secrets }: WorkspaceNames,
): Suggestion[] {
  const isPlace = path[0] === 'tools' || path[0] === 'triggers';
  if (!isPlace || /["'$]/.test(written) || !SECRET_KEYS.includes(String(path.at(-1)))) return [];
  return secrets.map((name) => ({
    label: `secrets.${name}`,
    insert: `"\${{ secrets.${name} }}"`,
    detail: 'secret',
    info: '',
  }));
}
