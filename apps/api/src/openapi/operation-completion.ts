import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'yaml';
import type { ErrorCode } from '@app/kernel';
import type { Scope } from '@app/workspace';
import { type Access, weakestRoleWith } from '../http/access.js';
import { accessOf, needsLive, needsRecentSignIn } from '../http/access.decorators.js';
import { inputsOf, JSON_BODY_PROBLEMS } from '../http/route-inputs.js';
import type { Route } from '../http/route-table.service.js';
import { leavesBodyUnread } from '../http/unread-input.guard.js';
import { isSessionOnly, problemsOf } from './operation.js';
import { codesOf, type ProblemResponses } from './problem-responses.js';

export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

type MediaTypeObject = Extract<NonNullable<OperationObject['requestBody']>, { content: unknown }>['content'][string];

type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], { $ref: string }>;

/** Errors of each operation that requires an API key or session. */
const WITH_KEY: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'invalid_session',
  'cross_site',
  'rate_limited',
];
const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'internal_error', 'unavailable'];

export const HEADERS = {
  RequestId: {
    description:
      'Id of the request, which the logs also contain. If the request has a valid `X-Request-Id`, that value is used.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'Remaining requests and seconds until the next window: `"default";r=<requests>;t=<seconds>`. Absent if the operation has no limit.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description:
      'Limit as requests and seconds: `"default";q=<requests>;w=<seconds>`. Absent if the operation has no limit.',
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: '`true` if this response was stored for an earlier request with the same key and is returned again.',
    schema: { type: 'string' },
  },
};
/** Headers of every response. Only the error responses describe them, because the size of the document is limited. */
export const REQUEST_HEADERS = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
};

/**
 * Headers of every response of a rate-limited route. Only the error responses describe them, because the size of the
 * document is limited.
 */
export const RATE_LIMIT_HEADERS = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

/** Adds the parts that are derived from the route: security, scopes, errors, headers, and whether a retry is safe. */
export function completeOperation(operation: OperationObject, route: Route, problems: ProblemResponses): void {
  const { method, handler } = route;
  const access = accessOf(handler);
  operation.description = [operation.description, callerText(handler, access)].filter(Boolean).join('\n\n');
  operation.security = securityOf(handler, access);
  const refusals = [...problemsOf(handler), ...generalProblems(route, access)];
  Object.assign(operation.responses, problems.responsesOf(refusals));
  // Clients expect a 2XX response or a `default`. An operation that only redirects gets a `default`.
  if (!Object.keys(operation.responses).some((status) => status.startsWith('2')))
    operation.responses.default = { $ref: '#/components/responses/AnyProblem' };
  const parameters = (operation.parameters ?? []).filter((each) => 'name' in each).filter(isOwn);
  if (parameters.length > 0) operation.parameters = parameters;
  else delete operation.parameters;
  for (const parameter of parameters) {
    stateStyle(parameter);
    // This is the default. The document has a size limit.
    if (parameter.required === false) delete parameter.required;
  }
  if (operation.requestBody && 'content' in operation.requestBody) {
    describeYaml(operation.requestBody.content);
    describeOtherForms(operation.requestBody.content, handler);
  }
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  Object.assign(operation, {
    'x-problem-codes': codesOf(refusals),
    ...(access?.kind === 'key' && access.scopes.length > 0 && { 'x-required-scopes': access.scopes }),
    ...(method === 'POST' && takesKey && { 'x-idempotent': true }),
  });
}

/**
 * Whether this API chose the name of the parameter. The API chooses only names in snake_case. Names such as
 * `hub.challenge` are prescribed by other systems. The description of the operation lists these names.
 */
function isOwn(parameter: ParameterObject): boolean {
  return parameter.in === 'header' || /^[a-z][a-z0-9_]*$/.test(parameter.name);
}

/** Declares that a client sends a list in a query by repeating the parameter. */
function stateStyle(parameter: ParameterObject): void {
  const { schema } = parameter;
  if (parameter.in === 'query' && schema && 'type' in schema && schema.type === 'array')
    Object.assign(parameter, { style: 'form', explode: true });
}

/**
 * Describes YAML bodies as strings, because clients send them as text. Converts their examples to YAML, once for each
 * body: `application/yaml` is the registered type (RFC 9512).
 */
function describeYaml(content: Record<string, MediaTypeObject>): void {
  for (const [type, media] of Object.entries(content)) {
    if (!/\b(x-)?yaml$/.test(type)) continue;
    const examples: NonNullable<MediaTypeObject['examples']> = {};
    for (const [name, example] of Object.entries(media.examples ?? {}))
      if ('value' in example) examples[name] = { value: stringify(example.value as unknown) };
    content[type] = { schema: { type: 'string' }, ...(type === 'application/yaml' && { examples }) };
  }
}

/** Describes the bodies that have another form than the JSON of the operation. */
function describeOtherForms(content: Record<string, MediaTypeObject>, handler: object): void {
  for (const { bodies = {} } of inputsOf(handler))
    for (const [type, schema] of Object.entries(bodies)) content[type] = { schema };
}

function securityOf(handler: object, access: Access | undefined): Record<string, string[]>[] {
  if (isSessionOnly(handler)) return [{ session: [] }];
  if (access?.kind === 'key') return [{ apiKey: [] }, ...(access.bearerOnly ? [] : [{ session: [] }])];
  return access?.kind === 'webhook' && access.isSecretAccepted ? [{ webhookSecret: [] }] : [];
}

/** Returns the errors that any route with this access and this method can return. */
function generalProblems({ method, handler }: Route, access: Access | undefined): ErrorCode[] {
  const always = leavesBodyUnread(method, handler) ? [...ALWAYS, ...JSON_BODY_PROBLEMS] : ALWAYS;
  if (access?.kind !== 'key') return [...always];
  const recent: ErrorCode[] = needsRecentSignIn(handler) ? ['sign_in_again'] : [];
  const live: ErrorCode[] = needsLive(handler) ? ['test_key_production_mode'] : [];
  return [
    ...always,
    ...recent,
    ...live,
    ...WITH_KEY,
    ...[...access.scopes, ...(access.anyOf ?? [])].flatMap(refusalsOf),
  ];
}

function isLimited(access: Access | undefined): boolean {
  return access?.kind === 'webhook' || (access?.kind === 'key' && !access.urgent && !access.unlimited);
}

/** Returns the sentences that state who may call the operation. */
function callerText(handler: object, access: Access | undefined): string {
  const caller = isSessionOnly(handler)
    ? 'Requires a session. An API key is rejected with 403 `sign_in_again`.'
    : accessText(access);
  const live = needsLive(handler) ? [LIVE] : [];
  const recent = needsRecentSignIn(handler) ? [RECENT_SIGN_IN] : [];
  return [caller, ...live, ...recent].join(' ');
}

const LIVE = 'Not for test keys.';
const RECENT_SIGN_IN = 'A session needs a sign-in of the last ten minutes (else 403 `sign_in_again`).';

function accessText(access: Access | undefined): string {
  if (access?.kind === 'webhook') return `Requires ${access.proof} instead of an API key.`;
  if (access?.kind !== 'key') return 'Requires no API key.';
  const { scopes, anyOf } = access;
  if (anyOf) return `Requires ${anyOf.map(scopeText).join(' or ')}.`;
  if (scopes.length === 0) return 'Requires an API key or a session. No scope is needed.';
  const limit = isLimited(access) ? '' : ' Not rate limited.';
  return `Requires ${scopes.map(scopeText).join(' and ')}.${limit}`;
}

function scopeText(scope: Scope): string {
  const role = weakestRoleWith(scope);
  return `\`${scope}\` (${role}${role === 'admin' ? '' : ' or higher'})`;
}

/** Returns the errors of a caller that lacks the scope. */
function refusalsOf(scope: Scope): ErrorCode[] {
  return weakestRoleWith(scope) === 'admin' ? ['admin_required', 'insufficient_scope'] : ['insufficient_scope'];
}
