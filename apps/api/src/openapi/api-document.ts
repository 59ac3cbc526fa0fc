import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AGENT_V1_SCHEMA } from '@app/definition';
import { byteText, ERROR_KINDS, type ErrorCode, hourText } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import type { Scope } from '@app/workspace';
import { type Access, accessOf, weakestRoleWith } from '../http/access.decorators.js';
import { STATUS_OF_KIND } from '../http/problem.js';
import { JSON_BODY_PROBLEMS, LIMIT_WORDS } from '../http/route-inputs.js';
import { type Route, templateOf } from '../http/route-table.js';
import { leavesBodyUnread } from '../http/unread-input.guard.js';
import { TAGS } from './operation.js';
import { type DescribedProblem, PROBLEM_EXAMPLES, PROBLEM_SCHEMA, problemResponses } from './problem-responses.js';
import { describeMessages } from './webhook-messages.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** What every operation that asks for a key may answer, whatever it does. */
const WITH_KEY: readonly ErrorCode[] = ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'rate_limited'];
const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'internal_error', 'unavailable'];

/** The OpenAPI 3.1 description of the whole api, made from its controllers. */
export function describeApi(app: INestApplication, routes: readonly Route[]): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, settings(), { autoTagControllers: false });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: PROBLEM_SCHEMA, AgentDefinition: AGENT_V1_SCHEMA },
    examples: PROBLEM_EXAMPLES,
    headers: HEADERS,
  };
  for (const route of routes) {
    const operation = operationOf(document, route);
    if (operation) completeOperation(operation, route);
  }
  document.webhooks = describeMessages();
  return withConfiguredLimits(document, app.get<Env>(ENV, { strict: false }));
}

/** The description of one route; undefined where the document lacks it. */
export function operationOf(document: OpenAPIObject, { path, method }: Route): OperationObject | undefined {
  const item = document.paths[templateOf(path)];
  const operations = new Map(Object.entries(item ?? {}));
  return operations.get(method.toLowerCase()) as OperationObject | undefined;
}

function settings(): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Agent Automation Service')
    .setDescription(
      'Agents, their versions and their runs. Every failure is an `application/problem+json` document whose `code` is the ' +
        'contract. Every answer carries `X-Request-Id`; a valid incoming one is kept.',
    )
    .setVersion('1')
    .addServer('/', 'This installation')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: '`aas_live_…` or `aas_test_…`.' },
      'apiKey',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-Service-Webhook-Secret', description: "An agent's webhook secret." },
      'webhookSecret',
    );
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return builder.build();
}

/** Adds what follows from the access that the route declares, so that it is said once, beside the route. */
function completeOperation(operation: OperationObject, { method, handler }: Route): void {
  const access = accessOf(handler);
  const codes: ErrorCode[] = [...ALWAYS, ...(leavesBodyUnread(method, handler) ? JSON_BODY_PROBLEMS : [])];
  if (access?.kind === 'key') {
    operation.security = [{ apiKey: [] }];
    codes.push(...WITH_KEY);
    if (access.scopes.length > 0) {
      const scopes = access.scopes.map((scope) => `\`${scope}\``).join(', ');
      operation.description = [operation.description, `Needs the scope ${scopes}.`].filter(Boolean).join('\n\n');
      Object.assign(operation, { 'x-required-scopes': access.scopes });
      codes.push(...access.scopes.flatMap(refusalsOf));
    }
  } else {
    operation.security = access?.kind === 'webhook' ? [{ webhookSecret: [] }] : [];
  }
  mergeProblems(operation, codes);
  for (const response of Object.values(operation.responses)) {
    if (!response || '$ref' in response) continue;
    response.headers = { ...response.headers, 'X-Request-Id': REQUEST_ID, ...(isLimited(access) && RATE_LIMITS) };
  }
}

function isLimited(access: Access | undefined): boolean {
  return access?.kind === 'webhook' || (access?.kind === 'key' && !access.urgent && !access.unlimited);
}

/** What a key that lacks the scope may be answered. */
function refusalsOf(scope: Scope): ErrorCode[] {
  return weakestRoleWith(scope) === 'admin' ? ['admin_required', 'insufficient_scope'] : ['insufficient_scope'];
}

const HEADERS = {
  RequestId: { description: 'Names this request in the logs.', schema: { type: 'string' } },
  RateLimit: {
    description: 'What is left to the key: `"default";r=<requests>;t=<seconds>`. Absent where nothing is limited.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'What a key may do: `"default";q=<requests>;w=<seconds>`. Absent where nothing is limited.',
    schema: { type: 'string' },
  },
};
const REQUEST_ID = { $ref: '#/components/headers/RequestId' };
const RATE_LIMITS = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

/** Statuses that the operation describes itself keep their codes and gain the general ones. */
function mergeProblems(operation: OperationObject, general: readonly ErrorCode[]): void {
  Object.assign(operation.responses, problemResponses([...describedProblems(operation), ...general]));
}

function describedProblems(operation: OperationObject): DescribedProblem[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const kind = ERROR_KINDS.find((each) => STATUS_OF_KIND[each] === Number(status));
    if (!response || '$ref' in response || !kind) return [];
    const codes = Object.values(response.content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {}));
    return codes.map((code) => ({ code: code as ErrorCode, kind }));
  });
}

type Limits = Pick<Env, 'definitionLimits' | 'maxInputBytes' | 'maxUploadBytes' | 'idempotencyMillis' | 'cursorMillis'>;

/** The document with each of {@link LIMIT_WORDS} in its descriptions replaced by what this installation allows. */
function withConfiguredLimits(
  document: OpenAPIObject,
  { definitionLimits, maxInputBytes, maxUploadBytes, idempotencyMillis, cursorMillis }: Limits,
): OpenAPIObject {
  const words = new Map<string, string>([
    [LIMIT_WORDS.definition, byteText(definitionLimits.bytes)],
    [LIMIT_WORDS.input, byteText(maxInputBytes)],
    [LIMIT_WORDS.upload, byteText(maxUploadBytes)],
    [LIMIT_WORDS.idempotency, hourText(idempotencyMillis)],
    [LIMIT_WORDS.cursor, hourText(cursorMillis)],
  ]);
  const describe = (key: string, value: unknown): unknown =>
    key === 'description' && typeof value === 'string'
      ? value.replace(/%[a-z-]+-limit%/g, (word) => words.get(word) ?? word)
      : value;
  return JSON.parse(JSON.stringify(document), describe) as OpenAPIObject;
}
