import { HttpStatus } from '@nestjs/common';
import { ERROR_CODES, type ErrorCode, type ErrorKind, type JsonObject } from '@app/kernel';
import { PROBLEM_TYPE, problemType, STATUS_OF_KIND } from '../http/problem.js';
import { pascalCase } from './schema-names.js';

const TEXT: JsonObject = { type: 'string' };
const TEXTS: JsonObject = { type: 'array', items: TEXT };
const WHOLE: JsonObject = { type: 'integer' };
const TIME: JsonObject = { type: 'string', format: 'date-time' };
const listOf = (name: string): JsonObject => ({ type: 'array', items: { $ref: `#/components/schemas/${name}` } });
const described = (description: string, schema: JsonObject): JsonObject => ({ ...schema, description });

/** The fields that only errors with certain codes have. */
const FURTHER_FIELDS: JsonObject = {
  allowed_decisions: described('Decisions that the approval accepts.', TEXTS),
  approval_status: described('Status of the approval that is already decided.', TEXT),
  approvers: described('Groups that may decide; empty: admins.', TEXTS),
  authorize_url: described('Address at which a person authorises the source.', { ...TEXT, format: 'uri' }),
  decided_at: described('Time of the decision.', { ...TIME, type: ['string', 'null'] }),
  decisions: described('Decisions that were made.', listOf('ApprovalDecision')),
  evaluation: described('Latest evaluation of the version; null if there is none.', {
    type: ['object', 'null'],
    required: ['id', 'status'],
    properties: { id: described('Id.', TEXT), status: described('Status.', TEXT) },
  }),
  expires_at: described('Time until which `authorize_url` can be used.', TIME),
  gate: { $ref: '#/components/schemas/EvaluationGate', description: 'Verdict of the gate.' },
  kept: described('Names of the documents that were stored before the error.', TEXTS),
  latest_version: described('Number of the latest version.', WHOLE),
  limit_bytes: described('Maximum size.', WHOLE),
  missing: described('Parts of the service that are not ready.', {
    type: 'array',
    items: {
      type: 'object',
      description: 'A part of the service that is not ready.',
      required: ['part', 'problem'],
      properties: { part: described('Name.', TEXT), problem: described('Reason.', TEXT) },
    },
  }),
  production_version: described('Number of the version in production.', WHOLE),
  queued_runs_limit: described('Maximum number of queued runs.', WHOLE),
  reason: described('Cause of `unavailable`.', TEXT),
  request_revision: described('Current revision of the request.', WHOLE),
  required_role: described('Weakest role with the scope.', { type: ['string', 'null'] }),
  required_scope: described('Missing scope.', TEXT),
  run: described('Id of the run.', TEXT),
  run_status: described('Status of the run.', TEXT),
};

export const PROBLEM_SCHEMA: JsonObject = {
  type: 'object',
  description:
    'The body of each error response (RFC 9457). Programs read `code`; `detail` is for people and may change. Only some codes have the optional fields.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'URI that identifies the code. It is not the address of a page.',
    },
    title: { type: 'string', description: 'Meaning of the code.' },
    status: { type: 'integer', description: 'HTTP status.' },
    detail: { type: 'string', description: 'Explanation for people: what is wrong, where, and what to do.' },
    code: { type: 'string', enum: Object.keys(ERROR_CODES), description: 'Code for programs. It never changes.' },
    request_id: { type: 'string', description: 'Id of the request, also in the logs of the service.' },
    errors: {
      type: 'array',
      description: 'Places in the request that are not valid. Absent if the error does not concern a particular place.',
      items: {
        type: 'object',
        description: 'A place in the request that is not valid.',
        required: ['pointer', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON Pointer to the place in the body; `/query/<name>` for a query parameter.',
          },
          parameter: { type: 'string', description: 'Name of the query parameter; absent for other places.' },
          detail: { type: 'string', description: 'Explanation of the error for people.' },
          suggestion: { type: 'string', description: 'Proposed correction; absent if there is none.' },
          line: { type: 'integer', description: 'Line in a definition, from 1; absent for other bodies.' },
          column: { type: 'integer', description: 'Column in the line, from 1.' },
          excerpt: { type: 'string', description: 'Text of the line.' },
          fix: { $ref: '#/components/schemas/TextFix', description: 'Change that follows the suggestion.' },
        },
      },
    },
    ...FURTHER_FIELDS,
  },
};

/** An error code, or a code and its kind if the operation uses another kind than the usual one. */
export type DescribedProblem = ErrorCode | { code: ErrorCode; kind: ErrorKind };

const HEADERS: Readonly<Record<number, JsonObject>> = {
  401: { 'WWW-Authenticate': { description: 'Authentication scheme to use (RFC 6750).', schema: { type: 'string' } } },
  429: {
    'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  },
};

/** Collects the error responses of all operations in one component for each status. */
export class ProblemResponses {
  private readonly codes = new Map<number, Set<ErrorCode>>();

  /** Returns references to the error responses, by status. `problems` are the errors that the operation can return. */
  responsesOf(problems: readonly DescribedProblem[]): Record<string, { $ref: string }> {
    const responses: Record<string, { $ref: string }> = {};
    for (const problem of problems) {
      const { code, kind } = typeof problem === 'string' ? { code: problem, kind: ERROR_CODES[problem].kind } : problem;
      const status = STATUS_OF_KIND[kind];
      this.codes.set(status, (this.codes.get(status) ?? new Set()).add(code));
      responses[status] = { $ref: `#/components/responses/${nameOf(status)}` };
    }
    return responses;
  }

  /** Returns one example for each code, with the usual status of the code. */
  examples(): JsonObject {
    const codes = [...this.codes.values()].flatMap((each) => [...each]);
    return Object.fromEntries(
      [...new Set(codes)].sort().map((code) => [code, { value: exampleOf(code, usualStatus(code)) }]),
    );
  }

  /**
   * Returns the components of the error responses, by name.
   * @param headers headers of every error response
   */
  components(headers: JsonObject): JsonObject {
    const statuses = [...this.codes].sort(([a], [b]) => a - b);
    const responses = statuses.map(([status, codes]): [string, JsonObject] => [
      nameOf(status),
      problemResponse(titleOf(status), status, [...codes].sort(), { ...headers, ...HEADERS[status] }),
    ]);
    return {
      ...Object.fromEntries(responses),
      AnyProblem: problemResponse('Any other response', usualStatus('internal_error'), ['internal_error'], headers),
    };
  }
}

function problemResponse(title: string, status: number, codes: readonly ErrorCode[], headers: JsonObject): JsonObject {
  return {
    description: `${title}. The field \`x-problem-codes\` of the operation lists the possible error codes.`,
    headers,
    content: {
      [PROBLEM_TYPE]: {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, exampleIn(status, code)])),
      },
    },
  };
}

/** Returns the sorted error codes, without their kinds and without duplicates. */
export function codesOf(problems: readonly DescribedProblem[]): ErrorCode[] {
  return [...new Set(problems.map((problem) => (typeof problem === 'string' ? problem : problem.code)))].sort();
}

/** Refers to the shared example unless the code has another status than usual. */
function exampleIn(status: number, code: ErrorCode): JsonObject {
  return usualStatus(code) === status ? { $ref: `#/components/examples/${code}` } : { value: exampleOf(code, status) };
}

function usualStatus(code: ErrorCode): number {
  return STATUS_OF_KIND[ERROR_CODES[code].kind];
}

/** Returns for example `Not Found` for 404. */
function titleOf(status: number): string {
  const words = (HttpStatus[status] ?? String(status)).toLowerCase().split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** Returns the name of a response component, for example `NotFound` for 404. */
function nameOf(status: number): string {
  return pascalCase(titleOf(status));
}

function exampleOf(code: ErrorCode, status: number): JsonObject {
  return {
    type: problemType(code),
    title: ERROR_CODES[code].title,
    status,
    detail: ERROR_CODES[code].remedy,
    code,
    request_id: 'req_01ka',
  };
}
