import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AGENT_V1_SCHEMA } from '@app/definition';
import { byteText, ERROR_KINDS, type ErrorCode, hourText } from '@app/kernel';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from '@app/agents';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { type KnowledgeConfig, knowledgeConfig } from '@app/knowledge';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { type IdempotencyConfig, idempotencyConfig } from '@app/workspace';
import type { Scope } from '@app/workspace';
import { type Access, accessOf, weakestRoleWith } from '../http/access.decorators.js';
import { STATUS_OF_KIND } from '../http/problem.js';
import { JSON_BODY_PROBLEMS, LIMIT_WORDS } from '../http/route-inputs.js';
import { type Route, templateOf } from '../http/route-table.service.js';
import { leavesBodyUnread } from '../http/unread-input.guard.js';
import { TAGS } from './operation.js';
import { type DescribedProblem, PROBLEM_EXAMPLES, PROBLEM_SCHEMA, problemResponses } from './problem-responses.js';
import { addExamples } from './schema-examples.js';
import { describeMessages } from './webhook-messages.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Refusals of each operation that requires an API key. */
const WITH_KEY: readonly ErrorCode[] = ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'rate_limited'];
const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'internal_error', 'unavailable'];

/** The OpenAPI 3.1 document of the API, made from its controllers. */
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
  const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(Object.values);
  addExamples(operations as object[], document.components.schemas ?? {});
  return withConfiguredLimits(document, {
    ...app.get<DefinitionLimitsConfig>(definitionLimitsConfig.KEY, { strict: false }),
    ...app.get<RunIntakeConfig>(runIntakeConfig.KEY, { strict: false }),
    ...app.get<KnowledgeConfig>(knowledgeConfig.KEY, { strict: false }),
    ...app.get<IdempotencyConfig>(idempotencyConfig.KEY, { strict: false }),
    ...app.get<ApiConfig>(apiConfig.KEY, { strict: false }),
  });
}

/** The operation of a route; undefined if the document lacks it. */
export function operationOf(document: OpenAPIObject, { path, method }: Route): OperationObject | undefined {
  const item = document.paths[templateOf(path)];
  const operations = new Map(Object.entries(item ?? {}));
  return operations.get(method.toLowerCase()) as OperationObject | undefined;
}

function settings(): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Agent Automation Service')
    .setDescription(INTRODUCTION)
    .setVersion('1')
    .addServer('/', 'This installation')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'API key',
        description: 'API key: `aas_live_…` or `aas_test_…`.',
      },
      'apiKey',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-Service-Webhook-Secret', description: 'Webhook secret of the agent.' },
      'webhookSecret',
    );
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return builder.build();
}

/** Adds what follows from the access that the route declares: security, scopes, refusals and headers. */
function completeOperation(operation: OperationObject, { method, handler }: Route): void {
  const access = accessOf(handler);
  operation.description = [operation.description, accessText(access)].filter(Boolean).join('\n\n');
  const codes: ErrorCode[] = [...ALWAYS, ...(leavesBodyUnread(method, handler) ? JSON_BODY_PROBLEMS : [])];
  if (access?.kind === 'key') {
    operation.security = [{ apiKey: [] }];
    codes.push(...WITH_KEY);
    if (access.scopes.length > 0) {
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

/** Who may call the operation. */
function accessText(access: Access | undefined): string {
  if (access?.kind === 'webhook') return 'Requires the webhook secret of the agent instead of an API key.';
  if (access?.kind !== 'key') return 'Requires no API key.';
  if (access.scopes.length === 0) return 'Requires any valid API key.';
  const scopes = access.scopes.map(
    (scope) => `\`${scope}\` (role ${weakestRoleWith(scope)}${weakestRoleWith(scope) === 'admin' ? '' : ' or higher'})`,
  );
  const limit = isLimited(access) ? '' : ' Not rate limited.';
  return `Requires an API key with the scope ${scopes.join(' and ')}.${limit}`;
}

/** Refusals of a key that lacks the scope. */
function refusalsOf(scope: Scope): ErrorCode[] {
  return weakestRoleWith(scope) === 'admin' ? ['admin_required', 'insufficient_scope'] : ['insufficient_scope'];
}

const INTRODUCTION = `Host automation agents: define them, evaluate them, run them, and approve what they do.

## First request
\`\`\`
curl https://aas.example.com/v1/agents/agt_…/runs \\
  -H "Authorization: Bearer aas_live_…" \\
  -H "Content-Type: application/json" \\
  -d '{"input": {"name": "Ada"}}'
\`\`\`
The response is a run with the status \`queued\`. Follow it with \`GET /v1/runs/{id}\`.

## Authentication
Send an API key as \`Authorization: Bearer <key>\`. A key acts for a member of one workspace, with a role and scopes; each operation
names the scope that it requires. Runs that a test key starts have the mode \`test\`, in which writes are simulated.

## Errors
Each refusal has the media type \`application/problem+json\` (RFC 9457). Programs read \`code\`, which never changes; \`detail\` says
what is wrong, where, and what to do. An id of another workspace is an unknown id: 404.

## Lists
A list returns \`data\` and, if there is another page, \`next_cursor\`. Send it as \`cursor\` with the same filters and order. A cursor
is valid for ${LIMIT_WORDS.cursor}. \`limit\` is 1 to 100, 25 by default.

## Repetition
Send an \`Idempotency-Key\` with an operation that accepts one, and repeat the request after a network failure: it is carried out
once. Send \`If-Match\` with the \`ETag\` of a resource to change only the version that you have read.

## Formats
Times are RFC 3339 in UTC with milliseconds. Money is a decimal string with an ISO 4217 code. New fields may be added to responses.
`;

const HEADERS = {
  RequestId: {
    description: 'Id of the request, also in the logs. A valid incoming `X-Request-Id` is kept.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'Remaining requests and seconds until the next window: `"default";r=<requests>;t=<seconds>`. Absent without a limit.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'Limit as requests and seconds: `"default";q=<requests>;w=<seconds>`. Absent without a limit.',
    schema: { type: 'string' },
  },
};
const REQUEST_ID = { $ref: '#/components/headers/RequestId' };
const RATE_LIMITS = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

/** Adds the general codes to those that the operation describes itself. */
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

type Limits = DefinitionLimitsConfig & RunIntakeConfig & KnowledgeConfig & IdempotencyConfig & ApiConfig;

/** Replaces each of {@link LIMIT_WORDS} in descriptions by the limit of this installation. */
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
