import type { ReactNode } from 'react';
import { ApiError } from '../data/api.js';
import styles from './problem.module.css';

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
      <p>{detail}</p>
      {remedy !== undefined && <p>{remedy}</p>}
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
  return { title: problem.title, detail: problem.detail, remedy: remedyOf(error), requestId };
}

function remedyOf({ status, retryAfter, problem }: ApiError): string | undefined {
  if (typeof problem.remedy === 'string') return problem.remedy;
  if (retryAfter !== undefined) return `Try again in ${retryAfter} s.`;
  if (status === 401) return 'Sign in again.';
  if (status === 403) return 'Ask an admin of the workspace for the permission.';
  if (status === 404) return 'Check the address, and check that the resource belongs to this workspace.';
  if (status === 409 || status === 412) return 'Reload the page to see the current state.';
  if (status >= 500) return 'Try again later. If the error persists, give the request id to the operator.';
  return 'Correct the request and send it again.';
}
