import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { IDEMPOTENCY_PROBLEMS, inputsOf } from '../http/route-inputs.js';
import { EXAMPLE_FIELDS } from './schema-examples.js';
import type { DescribedProblem } from './problem-responses.js';
import { SCHEMA_NAME } from './schema-names.js';

export const TAGS = {
  Agents: 'Agents, their versions, evaluations and promotions, and the definition format.',
  Triggers: 'Webhooks, e-mails and schedules that start runs, and the events that arrived for them.',
  Runs: 'Executions of agents: start, follow, cancel and replay them, and read their traces.',
  Approvals: 'Decisions that runs request from people.',
  Knowledge: 'Knowledge bases, their sources, syncs, documents and readers, and search.',
  Files: 'Files that agents read and make: upload, download and delete them.',
  Events: 'Events of the workspace, and the webhook endpoints that they are delivered to.',
  Assistants: 'The Model Context Protocol, with which assistants use agents and build them.',
  'Sign-in': 'Sign-in methods, and the sessions of people in a browser.',
  Workspace: 'Members, groups, API keys, secrets, connections, usage, audit log and the emergency stop.',
  Service: 'Health, metrics and this document. No API key is needed.',
} as const;

/** Sets the tag of a controller in the OpenAPI document. */
export const Tag = (name: keyof typeof TAGS): ClassDecorator => ApiTags(name);

export interface Answer {
  description: string;
  /** Class of the body. */
  type?: Type;
  /** Class of the items, if the body is a page of a list. */
  page?: Type;
  /** Fields that replace those of the generated example. */
  example?: JsonObject;
  location?: string;
  headers?: Record<string, string>;
  content?: Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>;
}

const STATUSES = [200, 201, 202, 204, 206, 302, 303, 304] as const;

/** The responses by status, and all other parts that cannot be derived from the parameters of the handler. */
export type OperationDescription = { [Status in (typeof STATUSES)[number]]?: Answer } & {
  description?: string;
  /** The operation needs a session. It rejects API keys. */
  sessionOnly?: true;
  /** Further errors. Errors that are derived from the access and the parameters of the route are not listed here. */
  problems?: readonly DescribedProblem[];
};

const REPLAYED = { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } };

/** Headers of a document that changes only with a release. */
export const CACHE_HEADERS = {
  ETag: 'Version of the document. Send it as `If-None-Match` when you read the document again. It changes only with a release.',
};

/** Header of a resource whose version the client can send as `If-Match` in a later change. */
export const ETAG_HEADER = {
  ETag: 'Version of the resource. Send it as `If-Match` in a change, or as `If-None-Match` in a read.',
};

/**
 * Describes a route in the OpenAPI document. The name of the handler becomes the operation id, from which generated
 * clients take the names of their methods. The parameters of the handler describe the inputs. If only one status is
 * described, the route responds with it.
 */
export function Operation(summary: string, operation: OperationDescription): MethodDecorator {
  return (controller, name, descriptor) => {
    const handler: unknown = descriptor.value;
    const inputs = typeof handler === 'function' ? inputsOf(handler) : [];
    const isRepeatable = inputs.some(({ repeatable }) => repeatable);
    const statuses = STATUSES.filter((status) => operation[status]);
    const { description, problems = [] } = operation;
    const codes = [...inputs.flatMap((input) => input.problems ?? []), ...problems];
    const parts = [
      ApiOperation({ operationId: String(name), summary, ...(description !== undefined && { description }) }),
      ...inputs.flatMap((input) => input.parts ?? []),
      ...statuses.flatMap((status) => describeAnswer(status, operation[status], isRepeatable)),
      SetMetadata(SESSION_ONLY, operation.sessionOnly === true),
      SetMetadata(PROBLEMS, isRepeatable ? [...codes, ...IDEMPOTENCY_PROBLEMS] : codes),
      ...(statuses.length === 1 ? statuses.map((status) => HttpCode(status)) : []),
    ];
    applyDecorators(...parts)(controller, name, descriptor);
  };
}

const PROBLEMS = Symbol('problems');
const SESSION_ONLY = Symbol('session only');

export function isSessionOnly(handler: object): boolean {
  return Reflect.getMetadata(SESSION_ONLY, handler) === true;
}

export function problemsOf(handler: object): readonly DescribedProblem[] {
  return (Reflect.getMetadata(PROBLEMS, handler) as readonly DescribedProblem[] | undefined) ?? [];
}

function describeAnswer(status: number, answer: Answer | undefined, isRepeatable: boolean): MethodDecorator[] {
  if (!answer) return [];
  const { description, type, page, content, example } = answer;
  const texts: Record<string, string> = {
    ...(answer.location !== undefined && { Location: answer.location }),
    ...answer.headers,
  };
  const described = Object.entries(texts).map(([name, text]) => [name, { description: text, schema: TEXT }] as const);
  const headers = { ...(isRepeatable && REPLAYED), ...Object.fromEntries(described) };
  const base = { status, description, ...(Object.keys(headers).length > 0 && { headers }) };
  const model = page ?? type;
  if (!model) return [ApiResponse({ ...base, ...(content && { content }) })];
  const schema = page ? pageOf(page) : { $ref: getSchemaPath(model), ...(example && { [EXAMPLE_FIELDS]: example }) };
  return [ApiExtraModels(model), ApiResponse({ ...base, content: { 'application/json': { schema }, ...content } })];
}

const TEXT = { type: 'string' } as const;

/** Returns the schema of a page of a list, for example the component `RunPage` for the items `Run`. */
function pageOf(item: Type): object {
  const $ref = getSchemaPath(item);
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  return {
    [SCHEMA_NAME]: `${name}Page`,
    type: 'object',
    description: `One page of \`${name}\` objects.`,
    required: ['data'],
    properties: {
      data: { type: 'array', description: 'Items of the page.', items: { $ref } },
      next_cursor: {
        type: 'string',
        description: 'Next page; absent on the last page.',
        example: 'eyJhIjoi…',
      },
    },
  };
}
