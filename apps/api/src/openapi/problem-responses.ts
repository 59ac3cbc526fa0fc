import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode, type ErrorKind } from '@app/kernel';
import { PROBLEM_TYPE, problemType, STATUS_OF_KIND } from '../http/problem.js';

/** Bodies by media type. */
type ContentObject = Record<string, { schema: Schema; examples: Record<string, { $ref: string }> }>;

type HeadersObject = Record<string, { description: string; schema: Schema }>;

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** JSON Schema of the body of every failure. */
export const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  description: 'A failure (RFC 9457). `code` is the contract, `detail` is for people; a code may add further members.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(ERROR_CODES) },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON Pointer into the body; `/query/<name>` for a query parameter.',
          },
          parameter: { type: 'string', description: 'Name of the query parameter. Absent for other places.' },
          detail: { type: 'string' },
          suggestion: { type: 'string' },
          line: { type: 'integer' },
          column: { type: 'integer' },
          excerpt: { type: 'string', description: 'The line that the place is in.' },
        },
      },
    },
  },
};

/** What answers of a status carry beside the document. */
const HEADERS: Readonly<Record<number, HeadersObject>> = {
  401: { 'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: { type: 'string' } } },
  429: {
    'Retry-After': { description: 'Seconds after which it is worth another try.', schema: { type: 'integer' } },
  },
};

type ProblemResponse = { description: string; headers?: HeadersObject; content: ContentObject };

/** A code, with the kind that it has in this operation where that is not its usual one. */
export type DescribedProblem = ErrorCode | { code: ErrorCode; kind: ErrorKind };

/** One response per status of these codes. */
export function describeProblems(codes: readonly DescribedProblem[]): MethodDecorator[] {
  return Object.entries(problemResponses(codes)).map(([status, response]) =>
    ApiResponse({ status: Number(status), ...response }),
  );
}

/** The responses of an OpenAPI operation that may fail with these codes, by status. */
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
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}.`).join(' '),
    content: {
      [PROBLEM_TYPE]: {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** One example per code, which the responses refer to. */
export const PROBLEM_EXAMPLES = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, { kind, title }]) => [code, { value: exampleOf(code, kind, title) }]),
);

function exampleOf(code: string, kind: ErrorKind, title: string): object {
  const type = problemType(code);
  return {
    type,
    title,
    status: STATUS_OF_KIND[kind],
    detail: `${title}.`,
    code,
    request_id: 'req_01kahzvk3te9d8q6f0f1v3m2sx',
  };
}
