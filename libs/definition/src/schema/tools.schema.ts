import type { JsonObject } from '@app/kernel';
import { HTTP_METHODS, OPERATION_EFFECTS, OPERATION_SCOPES } from '../model/compiled-tool.js';
import {
  any,
  byValue,
  cel,
  choice,
  dictionary,
  duration,
  jsonSchema,
  list,
  object,
  pattern,
  PATTERNS,
  ref,
  text,
} from '../json-schema/building-blocks.js';

const scope = choice(
  'Whether a call changes anything. GET and HEAD default to read, all else to write.',
  OPERATION_SCOPES,
);
const effect = choice(
  'What repeating a call does. A write is at_most_once unless it says idempotent.',
  OPERATION_EFFECTS,
);
const timeout = duration('How long one call may take, at most 10m.', { default: '30s' });
const simulate = any('What the operation answers in mode: test, where writes are never sent.', {
  default: { simulated: true },
});

const secret = (what: string): JsonObject => text(`${what} May hold \`\${{ secrets.NAME }}\`.`);

const auth = byValue('type', {
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
});

const connection = {
  description: text('What the tool is for. The model reads it.'),
  auth: ref('auth', 'How calls prove who they are.'),
  headers: dictionary('Headers of every call.', PATTERNS.headerName, secret('The value.')),
};

const reconcile = object(
  'How to learn the truth after a crash in the middle of a call: call a read operation and look at its answer. Asked before an idempotent write is sent again, and before a person is asked about any other.',
  {
    operation: pattern('The read operation of the same tool.', 'operationName'),
    with: { type: 'object', description: 'Its request. `request` and `call.key` are those of the lost call.' },
    applied_if: cel(
      'True: the lost call was applied, false: it was not. Sees `request`, `call` and `response` ({status, headers, body}), also of a 404 or 410; an error, and every other answer that is no success, tells nothing.',
    ),
  },
  ['operation', 'applied_if'],
);

const operation = object(
  'One thing the tool can do, called `<tool>.<name>` in steps, policies and traces.',
  {
    name: pattern('Short name.', 'operationName'),
    description: text('What it does. The model reads it.'),
    method: choice('HTTP method.', HTTP_METHODS),
    path: pattern('Path below base_url. `{name}` takes a property of the request.', 'path'),
    scope,
    effect,
    idempotency: object('The service sends one stable key per logical call.', {
      header: pattern('The header that carries the key.', 'headerName', { default: 'Idempotency-Key' }),
    }),
    reconcile,
    request: jsonSchema(
      'The arguments. What the path does not use is the query of GET, HEAD and DELETE, else the JSON body.',
    ),
    timeout,
    simulate,
  },
  ['name', 'method', 'path'],
);

const override = object('What the service should assume about an operation.', { scope, effect, timeout, simulate });
const overrides = dictionary(
  'What is known better than the description of the tool says.',
  PATTERNS.operationName,
  override,
);
const include = list('The operations that agents may use.', pattern('Name of an operation.', 'operationName'), 100, {
  minItems: 1,
  uniqueItems: true,
});
const name = pattern('Name of the tool.', 'toolName');

const mcp = object(
  'A server that speaks the Model Context Protocol. What has no annotation is a write.',
  {
    name,
    type: text('mcp'),
    transport: choice('How to reach it. stdio only where the operator enables it.', ['streamable_http', 'stdio']),
    url: pattern('Address, for streamable_http.', 'httpUrl'),
    command: text('Program, for stdio.'),
    args: list('Arguments of the program.', text('One argument.', { minLength: 0 }), 32),
    include,
    overrides,
    ...connection,
  },
  ['name', 'type', 'transport', 'include'],
  {
    allOf: [
      { if: { properties: { transport: { const: 'streamable_http' } } }, then: { required: ['url'] } },
      { if: { properties: { transport: { const: 'stdio' } } }, then: { required: ['command'] } },
    ],
  },
);

const openapi = object(
  'The operations of an OpenAPI document.',
  {
    name,
    type: text('openapi'),
    spec: object(
      'The document: an address with the hash of what is there (another content is an error, not a surprise), or itself.',
      {
        url: pattern('Where it is.', 'httpUrl'),
        sha256: pattern('SHA-256 of its bytes, in hexadecimal.', 'sha256'),
        document: { type: 'object', description: 'The OpenAPI document, in place of url and sha256.' },
      },
      [],
      {
        if: { required: ['document'] },
        then: { properties: { url: false, sha256: false } },
        else: { required: ['url', 'sha256'] },
      },
    ),
    base_url: pattern('Instead of the first server of the document.', 'httpUrl'),
    include,
    overrides,
    ...connection,
  },
  ['name', 'type', 'spec', 'include'],
);

export const toolDefinitions: JsonObject = {
  auth,
  operation,
  tool: byValue('type', {
    http: object(
      'An HTTP API.',
      {
        name,
        type: text('http'),
        base_url: pattern('Absolute http or https URL.', 'httpUrl'),
        operations: list('What agents can call.', ref('operation'), 100, { minItems: 1 }),
        ...connection,
      },
      ['name', 'type', 'base_url', 'operations'],
    ),
    openapi,
    mcp,
    agent: object(
      'Another agent of the workspace. Its operation is `run`: the request is its input, its output is the answer.',
      {
        name,
        type: text('agent'),
        description: connection.description,
        agent: text('Id or name of the agent; its production version runs.', { maxLength: 80 }),
        scope,
        simulate,
      },
      ['name', 'type', 'agent'],
    ),
    email: object(
      'Sends e-mail through the relay of the installation. Its operation is `send`.',
      {
        name,
        type: text('email'),
        description: connection.description,
        to: list('The only recipients.', pattern('Address.', 'email'), 50, { minItems: 1, uniqueItems: true }),
      },
      ['name', 'type', 'to'],
    ),
  }),
};
