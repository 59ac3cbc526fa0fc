import type { JsonObject } from '@app/kernel';
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
import { type AUTH_TYPES, OPERATION_EFFECTS, OPERATION_SCOPES } from '../../model/compiled-tool.js';

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
