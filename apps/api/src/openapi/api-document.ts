import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AGENT_V1_SCHEMA } from '@app/agents/definition';
import type { ErrorCode } from '@app/kernel';
import type { Scope } from '@app/workspace';
import { accessOf } from '../http/access.decorators.js';
import { weakestRoleWith } from '../http/scope-check.js';
import { type Route, templateOf } from '../http/route-table.js';
import { TAGS } from './operation.decorator.js';
import { PROBLEM_EXAMPLES, PROBLEM_SCHEMA, problemResponses } from './problem-responses.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** What every operation that asks for a key may answer, whatever it does. */
const WITH_KEY: readonly ErrorCode[] = ['missing_api_key', 'invalid_api_key', 'expired_api_key'];
const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'internal_error', 'unavailable'];

/** The OpenAPI 3.1 description of the whole api, made from its controllers. */
export function describeApi(app: INestApplication, routes: readonly Route[]): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, settings(), { autoTagControllers: false });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: PROBLEM_SCHEMA, AgentDefinition: AGENT_V1_SCHEMA },
    examples: PROBLEM_EXAMPLES,
    headers: { RequestId: { description: 'Names this request in the logs.', schema: { type: 'string' } } },
  };
  for (const route of routes) {
    const operation = operationOf(document, route);
    if (operation) completeOperation(operation, route);
  }
  return document;
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
      { type: 'http', scheme: 'bearer', description: 'An API key: `aas_live_…` or `aas_test_…`.' },
      'apiKey',
    );
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return builder.build();
}

/** Adds what follows from the access that the route declares, so that it is said once, beside the route. */
function completeOperation(operation: OperationObject, { handler }: Route): void {
  const access = accessOf(handler);
  const codes: ErrorCode[] = [...ALWAYS];
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
    operation.security = [];
  }
  mergeProblems(operation, codes);
  for (const response of Object.values(operation.responses)) {
    if (response && !('$ref' in response)) response.headers = { ...response.headers, 'X-Request-Id': REQUEST_ID };
  }
}

/** What a key that lacks the scope may be answered. */
function refusalsOf(scope: Scope): ErrorCode[] {
  return weakestRoleWith(scope) === 'admin' ? ['admin_required', 'insufficient_scope'] : ['insufficient_scope'];
}

const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

/** Statuses that the operation describes itself keep their codes and gain the general ones. */
function mergeProblems(operation: OperationObject, general: readonly ErrorCode[]): void {
  const own = describedCodes(operation);
  Object.assign(operation.responses, problemResponses([...new Set([...own, ...general])]));
}

function describedCodes(operation: OperationObject): ErrorCode[] {
  return Object.values(operation.responses).flatMap((response) => {
    if (!response || '$ref' in response) return [];
    return Object.values(response.content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {}) as ErrorCode[]);
  });
}
