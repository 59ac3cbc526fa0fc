import { useSyncExternalStore } from 'react';
import { ApiError } from './api.js';

/** A request that waits until the person signs in again or declines to. */
interface Question {
  /** Why the API asks for a recent sign-in. */
  reason: string;
  answer: (hasSignedIn: boolean) => void;
}

let question: Question | undefined;
const listeners = new Set<() => void>();

function become(next: Question | undefined): void {
  question = next;
  for (const listener of listeners) listener();
}

/**
 * Sends a request that may need a recent sign-in. If the API rejects it for this reason, the person is asked to sign in
 * over the page, and the request is sent again. If the person declines, the error is rethrown.
 */
export async function withRecentSignIn<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'sign_in_again')) throw error;
    if (!(await hasSignedInAgain(error.problem.detail))) throw error;
    return send();
  }
}

function hasSignedInAgain(reason: string): Promise<boolean> {
  // Only one dialog is open at a time. A second question declines the first.
  question?.answer(false);
  return new Promise((resolve) => {
    become({
      reason,
      answer: (hasSignedIn) => {
        become(undefined);
        resolve(hasSignedIn);
      },
    });
  });
}

export function useStepUp(): Question | undefined {
  return useSyncExternalStore(subscribe, () => question);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
