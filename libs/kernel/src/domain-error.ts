import { ERROR_CODES, type ErrorCode, type ErrorKind } from './error-codes.js';
import { jsonPointer } from './json.js';

export interface ErrorPlace {
  pointer: string;
  /** Set only if the wrong value is a query parameter. */
  parameter?: string;
  detail: string;
  suggestion?: string;
  /** Set only for errors in such a text. */
  line?: number;
  column?: number;
  /** A long line is cut to the part around the error. */
  excerpt?: string;
  fix?: TextFix;
}

/** A change of a text that follows a suggestion: `replace` is at the line and column, and `with` is the new text. */
export type TextFix = Readonly<{ line: number; column: number; replace: string; with: string }>;

export function parameterPlace(parameter: string, detail: string, suggestion?: string): ErrorPlace {
  const place = { pointer: jsonPointer(['query', parameter]), parameter, detail };
  return suggestion === undefined ? place : { ...place, suggestion };
}

/** If the resource exists, the API adds its id to the error. */
export interface GivenName {
  kind: 'agent' | 'knowledgeBase';
  name: string;
  /** Empty if the name was in the path of the URL. */
  pointer: string;
}

export interface ErrorExtras {
  errors?: readonly ErrorPlace[];
  extensions?: Readonly<Record<string, unknown>>;
  retryAfterSeconds?: number;
  givenNames?: readonly GivenName[];
  /**
   * Replaces the kind of the code. For example, a call of a webhook trigger that fails with `workspace_stopped` gets
   * the kind `unavailable`, so that the sender retries.
   */
  kind?: ErrorKind;
  cause?: unknown;
}

/** The only error that libs throw on purpose. Callers may rely on `code`. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly kind: ErrorKind;
  readonly errors: readonly ErrorPlace[];
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  readonly givenNames: readonly GivenName[];

  constructor(
    readonly code: ErrorCode,
    detail: string,
    extras: ErrorExtras = {},
  ) {
    super(detail, { cause: extras.cause });
    this.kind = extras.kind ?? ERROR_CODES[code].kind;
    this.errors = extras.errors ?? [];
    this.extensions = extras.extensions ?? {};
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.givenNames = extras.givenNames ?? [];
  }
}

/**
 * Returns the error for an id that is malformed, unknown or from another workspace. The caller must not be able to
 * distinguish these cases.
 */
export function notFound(what: string, id: string, extras: Pick<ErrorExtras, 'givenNames'> = {}): DomainError {
  return new DomainError('not_found', `There is no ${what} ${JSON.stringify(id.slice(0, 64))}.`, extras);
}

/** Asserts a condition that the surrounding code guarantees. Do not use this function for mistakes of the caller. */
export function invariant(condition: unknown, statement: string | (() => string)): asserts condition {
  if (condition) return;
  const text = typeof statement === 'string' ? statement : statement();
  throw new DomainError('internal_error', `Broken invariant: ${text}.`);
}

export type ExpectedVersions = ReadonlySet<string> | undefined;

/**
 * Call it while the resource is locked.
 * @throws DomainError `precondition_failed`
 */
export function assertExpected(expected: ExpectedVersions, version: string | number, what: string): void {
  if (expected === undefined || expected.has(String(version))) return;
  throw new DomainError(
    'precondition_failed',
    `The ${what} has changed since you read it. Read it again, then repeat the change.`,
  );
}

/**
 * Returns the message of an error. If Node cannot connect to any address of a host, it throws an AggregateError with an
 * empty message. For such an error, returns the distinct messages of the attempts.
 */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map(errorText))].join('; ');
  return error instanceof Error ? error.message : String(error);
}
