import type { ReactNode } from 'react';
import { remedies } from 'virtual:error-remedies';
import { ApiError } from '../data/api.js';
import styles from './problem.module.css';
import { CodeText } from './word.js';

/**
 * Shows the title, the detail and the remedy of an error, and the request id with which an operator finds the request.
 */
export function ProblemAlert({ error }: { error: unknown }): ReactNode {
  if (error === null || error === undefined) return null;
  return <AlertBox {...describe(error)} />;
}

/** An alert with texts of the console. For errors of requests, use `ProblemAlert`. */
export function AlertBox({ title, detail, remedy, requestId }: Description): ReactNode {
  return (
    <div role="alert" className={styles.alert}>
      <strong>{title}</strong>
      <p>
        <CodeText text={detail} />
      </p>
      {remedy !== undefined && (
        <p>
          <CodeText text={remedy} />
        </p>
      )}
      {requestId !== undefined && (
        <p className={styles.request}>
          Request <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

interface Description {
  title: string;
  detail: string;
  remedy?: string;
  requestId?: string;
}

function describe(error: unknown): Description {
  // The API client throws a TypeError for a value that cannot be part of a URL, such as an empty name.
  if (error instanceof TypeError)
    return { title: 'The request cannot be sent', detail: error.message, remedy: 'Correct the value.' };
  if (!(error instanceof ApiError))
    return {
      title: 'The service cannot be reached',
      detail: error instanceof Error ? error.message : 'The request failed.',
      remedy: 'Check your connection. The page loads its data again automatically. Repeat other actions yourself.',
    };
  const { problem, requestId } = error;
  // The dialog over the page asks for the sign-in. The text of the API is about API keys.
  if (SIGNED_OUT.has(error.code))
    return { title: 'Your session has ended', detail: 'The service has not answered the request.', remedy: SIGN_IN };
  return { title: problem.title, detail: problem.detail, remedy: remedyOf(error), requestId };
}

const SIGNED_OUT: ReadonlySet<string> = new Set(['missing_api_key', 'invalid_session']);
const SIGN_IN = 'Sign in again. The text on the page stays.';
const MARKED = 'Correct the marked values, and send them again.';

/** Remedies of a person at the console, where docs/errors.md tells a program what to do. */
const HERE: Readonly<Record<string, string>> = {
  invalid_request: MARKED,
  input_invalid: MARKED,
  definition_invalid: 'Correct the places that the problems name.',
  cursor_expired: 'Reload the page.',
  cursor_mismatch: 'Reload the page.',
  invalid_cursor: 'Reload the page.',
  insufficient_scope: 'Ask an admin of the workspace for the permission.',
  sign_in_again: 'Choose the action again, and confirm that it is you.',
  not_found: 'Check the address, and check that the resource belongs to this workspace.',
  not_an_approver: 'Ask a member of the groups that may decide.',
  precondition_failed: 'Reload the page to see the current state.',
  internal_error: 'Try again later. If the error persists, give the request id to the operator.',
};

function remedyOf({ code, retryAfter, problem }: ApiError): string {
  if (typeof problem.remedy === 'string') return problem.remedy;
  if (retryAfter !== undefined) return `Try again in ${retryAfter} s.`;
  return codeRemedy(code) ?? 'Give the request id to the operator.';
}

/** Returns what a person at the console can do about an error code, or undefined if docs/errors.md does not have it. */
export function codeRemedy(code: string): string | undefined {
  return HERE[code] ?? remedies[code];
}
