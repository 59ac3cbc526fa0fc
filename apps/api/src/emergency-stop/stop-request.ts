import type { IncomingMessage } from 'node:http';
import { type ErrorPlace, type JsonObject } from '@app/kernel';
import { DRAIN_TIMEOUT, type StopOrder, STOPPED_RUNS, type StoppedRuns } from '@app/runs/emergency-stop';
import type { Principal } from '@app/workspace';
import { invalidRequest, noAdvice, placeOf, unknownFields } from '../http/invalid-request.js';
import { readOptionalJson } from '../http/json-body.js';

// The API and the thread of the stop listener read the request of an emergency stop with this file.

/** Scope of the emergency stop, and the action of a rejected call in the audit log. */
export const STOP_ACCESS = ['workspace:stop', 'workspace.stop'] as const;

/** Maximum length of the reason for an emergency stop, in characters. */
export const MAX_REASON = 1_000;

export interface StopBody {
  reason?: string;
  runs: StoppedRuns;
  drain_timeout_ms: number;
}

const DEFAULTS: StopBody = { runs: 'suspend', drain_timeout_ms: DRAIN_TIMEOUT.default };

/** Returns what is wrong with a field of the body, or undefined. */
const PROBLEMS: Readonly<Record<keyof StopBody, (value: unknown) => string | undefined>> = {
  reason: (value) => {
    if (typeof value !== 'string') return 'reason must be a string';
    return value.length > MAX_REASON ? `reason must be shorter than or equal to ${MAX_REASON} characters` : undefined;
  },
  runs: (value) => {
    const isKnown = STOPPED_RUNS.some((word) => word === value);
    return isKnown ? undefined : `runs must be one of ${STOPPED_RUNS.join(', ')}`;
  },
  drain_timeout_ms: (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'drain_timeout_ms must be an integer number';
    if (value < 0) return 'drain_timeout_ms must not be less than 0';
    const { max } = DRAIN_TIMEOUT;
    return value > max ? `drain_timeout_ms must not be greater than ${max}` : undefined;
  },
};
const FIELDS: ReadonlySet<string> = new Set(Object.keys(PROBLEMS));

/** @throws DomainError `invalid_request` with an entry for each invalid field, and the errors of {@link readOptionalJson} */
export async function readStopBody(request: IncomingMessage): Promise<StopBody> {
  return checkedStopBody(await readOptionalJson(request));
}

/** Returns the options with their defaults. @throws DomainError `invalid_request` */
export function checkedStopBody(given: JsonObject): StopBody {
  const unknown = unknownFields(FIELDS, given, { part: 'body', advice: noAdvice });
  if (unknown.length > 0) throw invalidRequest(unknown);
  const errors = Object.entries(PROBLEMS).flatMap(([name, problemOf]): ErrorPlace[] => {
    const problem = given[name] === undefined ? undefined : problemOf(given[name]);
    return problem === undefined ? [] : [placeOf(name, 'body', `${problem}.`)];
  });
  if (errors.length > 0) throw invalidRequest(errors);
  return { ...DEFAULTS, ...given };
}

export function stopOrder({ email }: Principal, body: StopBody): StopOrder {
  return { actor: email, reason: body.reason ?? null, runs: body.runs, drainTimeoutMillis: body.drain_timeout_ms };
}
