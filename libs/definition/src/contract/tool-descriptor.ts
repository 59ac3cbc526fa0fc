import type { JsonObject } from '@app/kernel';
import type { CheckContext } from './check-context.js';
import type { DefinitionNode } from './definition-node.js';
import {
  FILE_FORMS,
  type ToolBase,
  type ToolsByType,
  type ToolType,
  OPERATION_EFFECTS,
  OPERATION_SCOPES,
} from '../model/compiled-tool.js';
import type { ToolCompilation } from './tool-compilation.js';
import {
  any,
  choice,
  dictionary,
  duration,
  list,
  object,
  pattern,
  PATTERNS,
  ref,
  text,
  textOrObject,
} from './building-blocks.js';

export interface ToolDescriptor<Type extends ToolType> {
  readonly schema: JsonObject;
  readonly compile: (base: ToolBase, at: ToolCompilation) => ToolsByType[Type];
  /**
   * Reports problems that the schema and the compilation of single expressions do not find. Null if nothing needs a
   * check.
   */
  readonly check: ((node: DefinitionNode, input: CheckContext) => void) | null;
  /**
   * The fields that decide where calls go and which credentials they use. A change to one of these fields is a critical
   * capability change.
   */
  readonly target: readonly string[];
  /** Returns the message that the field `member` of the target has changed, for the person who promotes the version. */
  readonly describe: (tool: string, member: string) => string;
  /**
   * Compares fields whose severity of change depends on the values. For example, a longer list of allowed hosts is a
   * critical change, and a shorter list is only a warning. Missing if the tool has no such field.
   */
  readonly compare?: (before: JsonObject, after: JsonObject) => TargetChange[];
}

/**
 * A change that can widen or narrow what a tool may reach. `message` completes a sentence whose subject is the tool.
 */
export interface TargetChange {
  readonly kind: 'tool_target_changed' | 'tool_hosts_gained' | 'tool_hosts_lost' | 'tool_hosts_changed';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly member: string;
  readonly message: string;
}

export function describeTarget(tool: string, member: string): string {
  return `\`${member}\` of the tool ${tool} has changed, so its calls may go to another system or use other credentials.`;
}

export const toolName = pattern('Name of the tool, as in `<tool>.<operation>`.', 'toolName');

export const scope = choice(
  'Whether a call changes anything. Default: read for GET and HEAD, write for other methods.',
  OPERATION_SCOPES,
);
export const effect = choice(
  'Effect of a call. read: changes nothing. idempotent: a repeated call changes nothing more. at_most_once: the call is never repeated automatically. Default of write operations: at_most_once.',
  OPERATION_EFFECTS,
);
export const timeout = duration('Time limit of one attempt of a call, at most 10m.', { default: '30s' });
export const simulate = any('Output of a write operation in mode test, in which the operation is not sent.', {
  default: { simulated: true },
});

/** Returns the schema of a text that may contain secrets. */
export const secret = (what: string): JsonObject => text(`${what} May contain \`\${{ secrets.NAME }}\`.`);

export const connection = {
  description: text('Purpose of the tool, which the model reads.'),
  auth: ref('auth', 'How calls authenticate.'),
  headers: dictionary('Headers of every call.', PATTERNS.headerName, secret('Value of the header.')),
};

const OVERRIDE = {
  scope: choice(
    'Whether a call changes anything. Default: read for GET and HEAD of an OpenAPI document and for read-only operations of an MCP server; otherwise write.',
    OPERATION_SCOPES,
  ),
  effect,
  timeout,
  simulate,
};

function overridesOf(more: Record<string, JsonObject>): JsonObject {
  return dictionary(
    'Settings by name or id of an operation, in place of those from the server or the document.',
    '^[^\\p{Cc}]{1,256}$',
    object('Settings of one operation, in place of those from the server or the document.', { ...OVERRIDE, ...more }),
  );
}

/** Properties of every tool whose operations are described by a document or a server. */
export const described = {
  include: list(
    'The operations that the agent may use.',
    textOrObject(
      'Id of an operation, or its id and a name.',
      text('Id of the operation.', { maxLength: 256 }),
      object(
        'An operation with a name.',
        {
          id: text('Id of the operation.', { maxLength: 256 }),
          as: pattern('Name in the definition.', 'operationName'),
        },
        ['id', 'as'],
      ),
    ),
    100,
    {
      minItems: 1,
      uniqueItems: true,
    },
  ),
  overrides: overridesOf({}),
};

/** Overrides of an MCP server, whose arguments have no form for files. */
export const mcpOverrides = overridesOf({
  files: dictionary(
    'Arguments that are files, and the form in which they are sent: their content in base64, or a link that opens it for an hour.',
    '^[^\\p{Cc}]{1,256}$',
    choice('Form in which the file is sent.', FILE_FORMS),
  ),
});
