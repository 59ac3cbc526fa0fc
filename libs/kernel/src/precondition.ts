import { DomainError } from './domain-error.js';

/** Versions of a resource that a caller's change was made from (`If-Match`). Undefined: any will do. */
export type ExpectedVersions = ReadonlySet<string> | undefined;

/**
 * Keeps a change from overwriting one that its author has not seen. To be called while the resource is locked.
 * @throws DomainError `precondition_failed`
 */
export function assertExpected(expected: ExpectedVersions, version: string | number, what: string): void {
  if (expected === undefined || expected.has(String(version))) return;
  throw new DomainError('precondition_failed', `The ${what} has changed since you read it. Read it again.`);
}
