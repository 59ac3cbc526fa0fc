import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { IDEMPOTENCY_PROBLEMS, inputsOf } from '../http/route-inputs.js';
import { type DescribedProblem, describeProblems } from './problem-responses.js';

export const TAGS = {
  Agents: 'Agents, their numbered versions and their definitions.',
  Triggers: 'What starts runs besides requests: webhooks, e-mails and schedules, and what arrived for them.',
  Runs: 'Starting runs, following them and cancelling them.',
  Approvals: 'What waits for a person, and deciding about it.',
  Knowledge: 'Knowledge bases, what they are fed from, who may read them, and finding something in them.',
  Events: 'What has happened, and being told about it: events, webhook endpoints, deliveries.',
  Workspace: 'Who you are and where, and who else is there.',
  Service: 'Health, metrics and this description. Open to everybody.',
} as const;

/** The heading in the OpenAPI document below which the routes of a controller are listed. */
export const Tag = (name: keyof typeof TAGS): ClassDecorator => ApiTags(name);

/** What an operation answers when it succeeds. */
export interface Answer {
  description: string;
  /** The class of the body. */
  type?: Type;
  /** The class of the items, where the body is a page of a list. */
  page?: Type;
  /** What the header `Location` is the address of. */
  location?: string;
  headers?: Record<string, string>;
  /** Bodies of another kind than `type`, by media type. */
  content?: Record<string, { schema: object; example?: unknown }>;
}

const STATUSES = [200, 201, 202, 204, 302] as const;

/** The answers of an operation by status, and what else its parameters do not say already. */
export type OperationDescription = { [Status in (typeof STATUSES)[number]]?: Answer } & {
  description?: string;
  /** Failures beside those that follow from the access to the route and from its parameters. */
  problems?: readonly DescribedProblem[];
};

const REPLAYED = { 'Idempotent-Replayed': '`true` where this request had been answered before.' };

/** Headers of an answer that changes with the release only. */
export const CACHE_HEADERS = { ETag: 'Changes with the release.' };

/** Headers of an answer that a change can name in `If-Match`. */
export const ETAG_HEADER = { ETag: 'For `If-None-Match`, and for `If-Match` of changes.' };

/**
 * Describes a route for the OpenAPI document. The id of the operation, after which generated clients name their methods, is
 * the name of the handler. What the route takes follows from the parameters of the handler; the status of its answer, where
 * there is only one, from `operation`.
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
      ...describeProblems(isRepeatable ? [...codes, ...IDEMPOTENCY_PROBLEMS] : codes),
      ...(statuses.length === 1 ? statuses.map((status) => HttpCode(status)) : []),
    ];
    applyDecorators(...parts)(controller, name, descriptor);
  };
}

function describeAnswer(status: number, answer: Answer | undefined, isRepeatable: boolean): MethodDecorator[] {
  if (!answer) return [];
  const { description, type, page, content } = answer;
  const words: Record<string, string> = {
    ...(answer.location !== undefined && { Location: answer.location }),
    ...(isRepeatable && REPLAYED),
    ...answer.headers,
  };
  const headers = Object.entries(words).map(([name, text]) => [name, { description: text, schema: TEXT }] as const);
  const base = { status, description, headers: Object.fromEntries(headers) };
  const model = page ?? type;
  if (!model) return [ApiResponse({ ...base, ...(content && { content }) })];
  const schema = page ? pageOf(page) : { $ref: getSchemaPath(model) };
  return [ApiExtraModels(model), ApiResponse({ ...base, content: { 'application/json': { schema }, ...content } })];
}

const TEXT = { type: 'string' } as const;

function pageOf(item: Type): object {
  return {
    type: 'object',
    required: ['data'],
    properties: {
      data: { type: 'array', items: { $ref: getSchemaPath(item) } },
      next_cursor: { type: 'string', description: 'Present when more results exist.' },
    },
  };
}
