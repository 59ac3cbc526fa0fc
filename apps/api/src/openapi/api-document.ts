import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { ROLES, scopesOf } from '@app/workspace';
import { weakestRoleWith } from '../http/access.js';
import { RATE_LIMIT_WINDOW_SECONDS } from '@app/platform/rate-limits';
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
import { describeDefaults } from './schema-defaults.js';
import { addExamples, EXAMPLE_FIELDS, shareExamples } from './schema-examples.js';
import { nameSchemas } from './schema-names.js';
import { shareParameters } from './shared-parameters.js';
import { describeMessages } from './webhook-messages.js';

/** Schemas with several variants, and the classes of the variants. */
export interface SchemaUnions {
  variants: readonly Type[];
  schemas: Readonly<Record<string, JsonObject>>;
}

/** Generates the OpenAPI 3.1 document from the controllers. It is the same for each configuration of the service. */
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
  const { webhooks, parameters, events } = describeMessages(schemas);
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
        parameters,
      },
    }),
  );
  const described = copyOf<OpenAPIObject>(named);
  shareParts(described);
  return withoutExampleFields(described);
}

/** Adds the examples, and moves what occurs several times to the components. */
function shareParts({ paths, webhooks = {}, components = {} }: OpenAPIObject): void {
  const { schemas = {}, examples = {}, parameters = {} } = components;
  const operations = Object.values(paths).flatMap(Object.values) as object[];
  const messages = Object.values(webhooks).flatMap(Object.values) as object[];
  addExamples(operations, messages, schemas);
  shareExamples(operations, examples);
  describeDefaults(schemas);
  shareParameters(operations, parameters, schemas);
}

function withoutExampleFields(document: OpenAPIObject): OpenAPIObject {
  const text = JSON.stringify(document, (key, value: unknown) => (key === EXAMPLE_FIELDS ? undefined : value));
  return JSON.parse(text) as OpenAPIObject;
}

/** Converts to plain JSON, without undefined members and shared objects. */
function copyOf<T extends object>(document: object): T {
  return JSON.parse(JSON.stringify(document)) as T;
}

/** Returns undefined if the document lacks the route. */
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
    .setExternalDoc('Guides', '/docs/guides/')
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

/** Table of the roles. It lists the scopes that each role adds to those of the role before it. */
const ROLE_TABLE = [
  '| role | additional scopes |',
  '|---|---|',
  ...ROLES.map((role) => {
    const added = [...scopesOf(role)].filter((scope) => weakestRoleWith(scope) === role);
    return `| \`${role}\` | ${added.map((scope) => `\`${scope}\``).join(', ')} |`;
  }),
].join('\n');

const INTRODUCTION = `Host automation agents: define them, evaluate them, run them, and approve what they do.

## Start here
1. Get a key. \`npm start\` writes the key of the first admin to \`.data/admin.key\`; \`POST /v1/api-keys\` creates further keys.
2. Check the key:
   \`\`\`
   export AAS=http://127.0.0.1:3000 AUTH="Authorization: Bearer $(cat .data/admin.key)"
   curl $AAS/v1/me -H "$AUTH"
   \`\`\`
3. Create an agent. The response contains its id:
   \`\`\`
   curl $AAS/v1/agents -H "$AUTH" -H "Content-Type: application/yaml" --data-binary '
   name: greeter
   input: { type: object, required: [name], properties: { name: { type: string } } }
   steps:
     - { id: result, output: { greeting: "Hello \${{ input.name }}" } }
   '
   \`\`\`
4. Start a run with that id, and wait up to 30 seconds for its end:
   \`\`\`
   curl $AAS/v1/agents/agt_…/runs -H "$AUTH" -H "Content-Type: application/json" \\
     -H "Prefer: wait=30" -d '{"input": {"name": "Ada"}}'
   \`\`\`
   The response is the run with its output. If it has not ended, follow it with \`GET /v1/runs/{id}\`.
5. A run with the status \`waiting_approval\` lists its \`approvals\`. Decide with \`POST /v1/runs/{id}/approvals/{approval_id}\` and
   the body \`{"decision": "approve"}\`.

## Authentication
Send an API key as \`Authorization: Bearer <key>\`. A key acts for a member of one workspace, with a role and scopes; each operation
names the scope that it requires, and the weakest role with this scope. A role has its own scopes and those of the roles above it in this table:

${ROLE_TABLE}

Every role has \`approvals:decide\`, but only the \`approvers\` of an approval may decide it.

Runs that a test key starts have the mode \`test\`, in which write operations are simulated.

## Errors
Each error response has the media type \`application/problem+json\` (RFC 9457). Programs read \`code\`, which never changes; \`detail\` says
what is wrong, where, and what to do. The id of a resource in another workspace returns 404, like an unknown id.

## Limits
Names in capitals, such as \`MAX_DEFINITION_BYTES\`, are variables that the operator of the installation (not the role \`operator\`) sets. Rate limits count
requests for ${RATE_LIMIT_WINDOW_SECONDS} seconds; 0 means no limit:

| variable | default | counts |
|---|---|---|
| \`RATE_LIMIT_REQUESTS\` | 600 | requests of one API key or session |
| \`RATE_LIMIT_TRIGGERS\` | 60 | calls of the webhook of one agent |
| \`RATE_LIMIT_SIGN_IN\` | 30 | failed sign-ins and sign-in e-mails of one client address or member |
| \`RATE_LIMIT_FAILED_AUTHENTICATION\` | 600 | requests with wrong credentials from one client address |

Responses contain the remaining requests in \`RateLimit\` and the limit in \`RateLimit-Policy\`. Beyond the limit, the response is 429
\`rate_limited\` with \`Retry-After\` in seconds.

## Lists
A list returns \`data\` and, if there is another page, \`next_cursor\`. Send it as \`cursor\` with the same filters and order. A cursor
is valid for ${LIMIT_WORDS.cursor}. \`limit\` is 1 to 100, 25 by default.

## Retries
Send an \`Idempotency-Key\` with an operation that accepts one. You can then retry the request after a network failure: the operation
is carried out only once. For ${LIMIT_WORDS.idempotency}, a retry with the same key and body returns the response of the first request; another body is rejected with 422 \`idempotency_key_reused\`. If the first request was rejected, the retry is carried out. Send \`If-Match\` with the \`ETag\` of a resource to change only the version that you have read.

## Formats
Each response has an \`X-Request-Id\`, which the logs also contain. Times are RFC 3339 in UTC with milliseconds. Money is a decimal string with an ISO 4217 code. Later releases may add fields and values to responses: ignore unknown ones. A request with an unknown field or query parameter is rejected with 400.
`;
