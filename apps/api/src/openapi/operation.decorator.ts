import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { IDEMPOTENCY_HEADER, IDEMPOTENCY_PROBLEMS, REPLAYED_HEADER } from './described-parts.js';
import { describeProblems, type DescribedProblem } from './problem-responses.js';

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

/** What an operation answers when it succeeds. */
export interface Answer {
  status?: 200 | 201 | 202 | 204 | 302;
  description: string;
  /** The class of the body, or of the items where `list` is set. */
  type?: Type;
  list?: boolean;
  headers?: Record<string, string>;
  /** Bodies of another kind than `type`, by media type. */
  content?: Record<string, { schema: object; example?: unknown }>;
}

export interface OperationDescription {
  /** Unique; generated clients name their methods after it. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  answers: readonly Answer[];
  /** Beside those that every operation may answer. */
  problems?: readonly DescribedProblem[];
  /** The operation takes an `Idempotency-Key`. */
  repeatable?: true;
}

/** Describes a route for the OpenAPI document: its words, its answers, its failures, and what it takes. */
export function Operation(operation: OperationDescription, ...inputs: MethodDecorator[]): MethodDecorator {
  const { id, tag, summary, description, problems = [], repeatable = false } = operation;
  const answers = repeatable ? operation.answers.map(replayable) : operation.answers;
  return applyDecorators(
    ApiOperation({ operationId: id, summary, ...(description !== undefined && { description }) }),
    ApiTags(tag),
    ...inputs,
    ...answers.flatMap(describeAnswer),
    ...(repeatable ? [ApiHeader(IDEMPOTENCY_HEADER)] : []),
    ...describeProblems(repeatable ? [...problems, ...IDEMPOTENCY_PROBLEMS] : problems),
  );
}

function replayable(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, ...REPLAYED_HEADER } };
}

function describeAnswer({
  status = 200,
  description,
  type,
  list = false,
  headers = {},
  content,
}: Answer): MethodDecorator[] {
  const base = {
    status,
    description,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
    ),
  };
  if (!type) return [ApiResponse({ ...base, ...(content && { content }) })];
  const schema = list ? pageOf(type) : { $ref: getSchemaPath(type) };
  return [ApiExtraModels(type), ApiResponse({ ...base, content: { 'application/json': { schema }, ...content } })];
}

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
