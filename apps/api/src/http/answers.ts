import type { Response } from 'express';

/** Answers 201 with the address of what was made. */
export function created<T>(response: Response, location: string, body: T): T {
  response.status(201).setHeader('Location', location);
  return body;
}

/** Says that this very request was answered before, and that this is that answer. */
export function markReplayed(response: Response): void {
  response.setHeader('Idempotent-Replayed', 'true');
}

/** Answers 202 with the address at which to follow what was accepted. */
export function accepted<T>(response: Response, location: string, body: T): T {
  response.status(202).setHeader('Location', location);
  return body;
}
