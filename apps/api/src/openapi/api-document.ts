import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { LIMIT_WORDS } from '../http/route-inputs.js';
import { type Route, templateOf } from '../http/route-table.service.js';
import { definitionSchemas } from './definition-schemas.js';
import { TAGS } from './operation.js';
import {
  completeOperation,
  HEADERS,
  type OperationObject,
  RATE_LIMIT_HEADERS,
  REQUEST_HEADERS,
} from './operation-completion.js';
import { PROBLEM_SCHEMA, ProblemResponses } from './problem-responses.js';
import { addExamples } from './schema-examples.js';
import { nameSchemas } from './schema-names.js';
import { describeMessages } from './webhook-messages.js';

/** Schemas that are one of several variants, and the classes of the variants. */
export interface SchemaUnions {
  variants: readonly Type[];
  schemas: Readonly<Record<string, JsonObject>>;
}

/** The OpenAPI 3.1 document of the API, generated from its controllers. It does not depend on the configuration. */
export function describeApi(app: INestApplication, routes: readonly Route[], unions: SchemaUnions): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, settings(), {
    autoTagControllers: false,
    extraModels: [...unions.variants],
  });
  const problems = new ProblemResponses();
  for (const route of routes) {
    const operation = operationOf(document, route);
    if (operation) completeOperation(operation, route, problems);
  }
  const { schemas = {}, ...components } = document.components ?? {};
  const { webhooks, events } = describeMessages(schemas);
  const named = nameSchemas(
    copyOf<JsonObject>({
      ...document,
      webhooks,
      components: {
        ...components,
        schemas: { ...schemas, ...unions.schemas, ...events, ...definitionSchemas(), Problem: PROBLEM_SCHEMA },
        responses: problems.components({ ...REQUEST_HEADERS, ...RATE_LIMIT_HEADERS }),
        examples: problems.examples(),
        headers: HEADERS,
      },
    }),
  );
  const described = copyOf<OpenAPIObject>(named);
  const items = [...Object.values(described.paths), ...Object.values(described.webhooks ?? {})];
  addExamples(items.flatMap(Object.values) as object[], described.components?.schemas ?? {});
  return described;
}

/** The document as JSON: without undefined members and without objects that two places share. */
function copyOf<T extends object>(document: object): T {
  return JSON.parse(JSON.stringify(document)) as T;
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
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
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
    )
    .addCookieAuth(
      'aas_session',
      {
        type: 'apiKey',
        in: 'cookie',
        description:
          'Session of a person. Only the pages of this service can use it. With HTTPS, the name of the cookie is `__Host-aas_session`.',
      },
      'session',
    );
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return builder.build();
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
names the scope that it requires. Runs that a test key starts have the mode \`test\`, in which write operations are simulated.

## Errors
Each error response has the media type \`application/problem+json\` (RFC 9457). Programs read \`code\`, which never changes; \`detail\` says
what is wrong, where, and what to do. The id of a resource in another workspace returns 404, like an unknown id.

## Lists
A list returns \`data\` and, if there is another page, \`next_cursor\`. Send it as \`cursor\` with the same filters and order. A cursor
is valid for ${LIMIT_WORDS.cursor}. \`limit\` is 1 to 100, 25 by default.

## Retries
Send an \`Idempotency-Key\` with an operation that accepts one. You can then retry the request after a network failure: the operation
is carried out only once. Send \`If-Match\` with the \`ETag\` of a resource to change only the version that you have read.

## Formats
Times are RFC 3339 in UTC with milliseconds. Money is a decimal string with an ISO 4217 code. New fields may be added to responses.
`;
