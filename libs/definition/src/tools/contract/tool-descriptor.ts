import type { JsonObject } from '@app/kernel';
import type { CheckContext } from '../../checks/contract/check-context.js';
import type { DefinitionNode } from '../../compile/context/definition-node.js';
import {
  type ToolBase,
  type ToolsByType,
  type ToolType,
  type AUTH_TYPES,
  OPERATION_EFFECTS,
  OPERATION_SCOPES,
} from '../../model/compiled-tool.js';
import type { ToolCompilation } from './tool-compilation.js';
import {
  any,
  byValue,
  choice,
  dictionary,
  duration,
  list,
  object,
  pattern,
  PATTERNS,
  ref,
  text,
} from '../../json-schema/building-blocks.js';

/** All there is to know of one type of tool before it is called. */
export interface ToolDescriptor<Type extends ToolType> {
  /** The type in the JSON Schema of the format. */
  readonly schema: JsonObject;
  /** Compiles a tool of the right form; `base` is what every type has. */
  readonly compile: (base: ToolBase, at: ToolCompilation) => ToolsByType[Type];
  /** Reports what neither the schema nor a single expression shows. Null: there is nothing to check. */
  readonly check: ((node: DefinitionNode, input: CheckContext) => void) | null;
  /**
   * The members of the written tool that say where its calls go and as whom. A change of one of them is a critical change
   * of capability. What is left are the name, what models read, and what the compiled operations say.
   */
  readonly target: readonly string[];
  /** What a person who promotes a version reads about a changed member of the target. */
  readonly describe: (tool: string, member: string) => string;
}

/** What a changed member of a target means where the type says nothing more exact. */
export function describeTarget(tool: string, member: string): string {
  return `\`${member}\` of the tool ${tool} has changed: its calls may reach another system or use other credentials.`;
}

export const toolName = pattern('Name of the tool.', 'toolName');

export const scope = choice(
  'Whether a call changes anything. GET and HEAD default to read, all else to write.',
  OPERATION_SCOPES,
);
export const effect = choice(
  'What repeating a call does. A write is at_most_once unless it says idempotent.',
  OPERATION_EFFECTS,
);
export const timeout = duration('How long one call may take, at most 10m.', { default: '30s' });
export const simulate = any('What the operation answers in mode: test, where writes are never sent.', {
  default: { simulated: true },
});

const secret = (what: string): JsonObject => text(`${what} May hold \`\${{ secrets.NAME }}\`.`);

/** How calls prove who they are: `#/$defs/auth`. */
export const auth = byValue('type', {
  bearer: object('Authorization: Bearer.', { type: text('bearer'), token: secret('The token.') }, ['type', 'token']),
  basic: object(
    'Authorization: Basic.',
    { type: text('basic'), username: secret('The user.'), password: secret('The password.') },
    ['type', 'username', 'password'],
  ),
  header: object(
    'A header of its own.',
    { type: text('header'), name: pattern('The header.', 'headerName'), value: secret('Its value.') },
    ['type', 'name', 'value'],
  ),
} satisfies Record<(typeof AUTH_TYPES)[number], JsonObject>);

/** Members of every tool that is reached over a connection. */
export const connection = {
  description: text('What the tool is for. The model reads it.'),
  auth: ref('auth', 'How calls prove who they are.'),
  headers: dictionary('Headers of every call.', PATTERNS.headerName, secret('The value.')),
};

const override = object('What the service should assume about an operation.', { scope, effect, timeout, simulate });

/** Members of every tool whose operations the other side describes. */
export const described = {
  include: list('The operations that agents may use.', pattern('Name of an operation.', 'operationName'), 100, {
    minItems: 1,
    uniqueItems: true,
  }),
  overrides: dictionary(
    'What is known better than the description of the tool says.',
    PATTERNS.operationName,
    override,
  ),
};
