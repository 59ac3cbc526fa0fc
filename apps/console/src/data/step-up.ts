import { useSyncExternalStore } from 'react';
import { ApiError } from './api.js';

/** State of the dialog that asks the person to sign in again. A request waits until `answer` is called. */
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
 * Sends a request. If the API requires a recent sign-in, opens a sign-in form over the page and sends the request again
 * after the sign-in. If the person declines, throws the error of the API.
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
  // Only one sign-in dialog is open at a time. A second request closes the dialog of the first request, so the first
  // request fails.
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
