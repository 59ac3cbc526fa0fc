import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode, type ErrorKind } from '@app/kernel';
import { PROBLEM_TYPE, problemType, STATUS_OF_KIND } from '../http/problem.js';

/** Bodies by media type. */
type ContentObject = Record<string, { schema: Schema; examples: Record<string, { $ref: string }> }>;

type HeadersObject = Record<string, { description: string; schema: Schema }>;

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** JSON Schema of the body of each refusal and failure. */
export const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  description:
    'The body of each refusal and failure (RFC 9457). Programs read `code`; `detail` is for people and may change. A code may add fields.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'URI of the code. Nothing is served at it.' },
    title: { type: 'string', description: 'Title of the code.' },
    status: { type: 'integer', description: 'HTTP status.' },
    detail: { type: 'string', description: 'Explanation for people: what is wrong, where, and what to do.' },
    code: { type: 'string', enum: Object.keys(ERROR_CODES), description: 'Code for programs. It never changes.' },
    request_id: { type: 'string', description: 'Id of the request, also in the logs of the service.' },
    errors: {
      type: 'array',
      description: 'Places in the request that are wrong. Absent if the code concerns no single place.',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON Pointer to the place in the body; `/query/<name>` for a query parameter.',
          },
          parameter: { type: 'string', description: 'Name of the query parameter; absent for other places.' },
          detail: { type: 'string', description: 'Explanation for people.' },
          suggestion: { type: 'string', description: 'Proposed correction; absent if there is none.' },
          line: { type: 'integer', description: 'Line in a definition, from 1; absent for other bodies.' },
          column: { type: 'integer', description: 'Column in the line, from 1.' },
          excerpt: { type: 'string', description: 'Text of the line.' },
        },
      },
    },
  },
};

/** Headers of problem responses, by status. */
const HEADERS: Readonly<Record<number, HeadersObject>> = {
  401: { 'WWW-Authenticate': { description: 'Authentication scheme to use (RFC 6750).', schema: { type: 'string' } } },
  429: {
    'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  },
};

type ProblemResponse = { description: string; headers?: HeadersObject; content: ContentObject };

/** A code, with its kind in this operation if that differs from the usual one. */
export type DescribedProblem = ErrorCode | { code: ErrorCode; kind: ErrorKind };

/** Decorators that add one response for each status of these codes. */
export function describeProblems(codes: readonly DescribedProblem[]): MethodDecorator[] {
  return Object.entries(problemResponses(codes)).map(([status, response]) =>
    ApiResponse({ status: Number(status), ...response }),
  );
}

/** The responses of an operation that can be refused with these codes, by status. */
export function problemResponses(problems: readonly DescribedProblem[]): Record<string, ProblemResponse> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const problem of problems) {
    const { code, kind } = typeof problem === 'string' ? { code: problem, kind: ERROR_CODES[problem].kind } : problem;
    const status = STATUS_OF_KIND[kind];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [String(status), problemResponse(status, [...codes])]),
  );
}

/** Meaning of a code and what the caller can do. */
function textOf(code: ErrorCode): string {
  const { title, remedy } = ERROR_CODES[code];
  return `${title}. ${remedy}`;
}

function problemResponse(status: number, codes: readonly ErrorCode[]): ProblemResponse {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { status: { enum: [status] }, code: { enum: [...codes] } } },
    ],
  };
  const headers = HEADERS[status];
  return {
    ...(headers && { headers }),
    description: codes.map((code) => `- \`${code}\`: ${textOf(code)}`).join('\n'),
    content: {
      [PROBLEM_TYPE]: {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** One example for each code, which the responses refer to. */
export const PROBLEM_EXAMPLES = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, { kind, title }]) => [
    code,
    { value: exampleOf(code as ErrorCode, kind, title) },
  ]),
);

function exampleOf(code: ErrorCode, kind: ErrorKind, title: string): object {
  const type = problemType(code);
  return {
    type,
    title,
    status: STATUS_OF_KIND[kind],
    detail: textOf(code),
    code,
    request_id: 'req_01kahzvk3te9d8q6f0f1v3m2sx',
  };
}
