import type { Response } from 'express';
import type { OnceOnly } from '@app/workspace';

/** Answers 201 with the address of what was made. */
export function created<T>(response: Response, location: string, body: T): T {
  response.status(201).setHeader('Location', location);
  return body;
}

/** Says that this very request was answered before, and that this is that answer. */
export function markReplayed(response: Response): void {
  response.setHeader('Idempotent-Replayed', 'true');
}

/** The result of a request that may carry an `Idempotency-Key`; a replayed one is marked in the answer. */
export function answered<T>(response: Response, { result, replayed }: OnceOnly<T>): T {
  if (replayed) markReplayed(response);
  return result;
}

/** Answers 202 with the address at which to follow what was accepted. */
export function accepted<T>(response: Response, location: string, body: T): T {
  response.status(202).setHeader('Location', location);
  return body;
}
