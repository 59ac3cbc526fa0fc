import type { JsonObject } from '@app/kernel';
import { DefinitionNode } from '../contract/definition-node.js';
import { choice, object, PATTERNS, text } from '../contract/building-blocks.js';
import { schemaValidator } from '@app/json-schema';
import { STATE_SCOPES, type StateTool, type ToolOperation } from '../model/compiled-tool.js';
import { stepsUseTool, usesTool } from './built-in-use.js';
import type { ToolCompilation } from '../contract/tool-compilation.js';
import { describeTarget, type ToolDescriptor, connection, toolName } from '../contract/tool-descriptor.js';

/** Name of the built-in tool for the state of the agent. A declared tool with this name takes its place. */
export const STATE_TOOL = 'state';

/** Maximum length of a state key, in characters. */
export const MAX_STATE_KEY = 256;
/** Maximum size of a state value, in bytes of JSON. */
export const MAX_STATE_VALUE = 64 * 1024;
const MAX_PAGE = 100;

const key: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_STATE_KEY,
  description: 'Name of the entry.',
};
const value: JsonObject = { description: 'Any value of at most 64 KiB of JSON.' };
const ttl: JsonObject = {
  type: 'string',
  pattern: PATTERNS.duration,
  description: 'Time until the entry is deleted, for example 30d.',
};
const ifVersion: JsonObject = {
  type: 'integer',
  minimum: 0,
  description: 'The call fails with state_conflict unless the entry has this version. 0: the key does not exist.',
};

interface StateOperation {
  scope: 'read' | 'write';
  description: string;
  properties: Record<string, JsonObject>;
  required: readonly string[];
}

const OPERATIONS: Readonly<Record<string, StateOperation>> = {
  get: {
    scope: 'read',
    description: 'Returns the entry of a key. If the key does not exist, its value is `default` and its version is 0.',
    properties: { key, default: { description: 'Value to return if the key does not exist.' } },
    required: ['key'],
  },
  put: {
    scope: 'write',
    description: 'Stores a value and returns the entry.',
    properties: { key, value, ttl, if_version: ifVersion },
    required: ['key', 'value'],
  },
  delete: {
    scope: 'write',
    description: 'Deletes an entry and returns whether it existed.',
    properties: { key, if_version: ifVersion },
    required: ['key'],
  },
  list: {
    scope: 'read',
    description: 'Lists entries in the order of their keys.',
    properties: {
      prefix: { type: 'string', maxLength: MAX_STATE_KEY, description: 'Only keys that begin with this text.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_PAGE,
        description: 'Maximum number of entries. Default: 25.',
      },
      cursor: { type: ['string', 'null'], description: '`next_cursor` of the previous page.' },
    },
    required: [],
  },
  increment: {
    scope: 'write',
    description: 'Adds a number to a value, or to 0 if the key does not exist, and returns the entry.',
    properties: { key, by: { type: 'number', description: 'The number to add. Default: 1.' }, ttl },
    required: ['key'],
  },
};

export const stateTool: ToolDescriptor<'state'> = {
  schema: object(
    'Values that are kept between runs. Steps of every agent can also use the built-in tool `state`; models ' +
      'can use it only if `tools` contains it.',
    {
      name: toolName,
      type: text('state'),
      description: connection.description,
      scope: choice(
        'agent: values that all versions of this agent share. workspace: values that all agents share.',
        STATE_SCOPES,
        {
          default: 'agent',
        },
      ),
    },
    ['name', 'type'],
  ),
  compile: (base, at) => compileState(base, at, false),
  check: null,
  target: [],
  describe: describeTarget,
};

export function builtInState(
  root: DefinitionNode,
  compilationOf: (node: DefinitionNode) => ToolCompilation,
): StateTool | null {
  const declared = root.items('tools').some((node) => node.text('name') === STATE_TOOL);
  if (declared || !usesTool(root, STATE_TOOL, Object.keys(OPERATIONS))) return null;
  const at = compilationOf(new DefinitionNode({ name: STATE_TOOL, type: 'state' }, ['tools', STATE_TOOL]));
  return compileState(at.base(), at, true);
}

function compileState(base: ReturnType<ToolCompilation['base']>, at: ToolCompilation, isBuiltIn: boolean): StateTool {
  const operations = Object.entries(OPERATIONS).map(([name, operation]): [string, ToolOperation] => [
    name,
    compileOperation(at, name, operation),
  ]);
  const scope = at.node.choiceOr('scope', STATE_SCOPES, 'agent');
  return { ...base, kind: 'state', scope, isBuiltIn, operations: new Map(operations) };
}

/** Write operations are idempotent, so a call with unknown outcome is repeated. */
function compileOperation(at: ToolCompilation, name: string, operation: StateOperation): ToolOperation {
  const { scope, description, properties, required } = operation;
  const compiled = at.operation(new DefinitionNode({}, at.node.path), name, scope);
  return {
    ...compiled,
    effect: scope === 'read' ? 'read' : 'idempotent',
    description,
    request: schemaValidator({ type: 'object', required: [...required], additionalProperties: false, properties }),
    isContained: true,
  };
}

/** Whether a step calls the tool `state`, or lets a model call it. */
export function usesState(root: DefinitionNode): boolean {
  return stepsUseTool(root, STATE_TOOL);
}
