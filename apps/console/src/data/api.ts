import { AgentAutomation, ApiError } from '../../../../packages/sdk/src/index.js';
import { watchedFetch } from './connection.js';

export {
  type Agent,
  type AgentVersion,
  ApiError,
  type Approval,
  type ProblemDocument,
  type Run,
  type TraceStep,
  type Workspace,
} from '../../../../packages/sdk/src/index.js';

/** API client that authenticates with the session cookie. */
export const aas = new AgentAutomation({
  session: true,
  baseUrl: location.origin,
  stopUrl: () => stopUrl,
  fetch: watchedFetch,
});

/** URL of the second port of the service. It is read in advance, because the first port may not respond later. */
let stopUrl: string | undefined;

export async function readStopUrl(): Promise<void> {
  const { stop_port: port } = await aas.service.health();
  stopUrl = port === null ? undefined : `${location.protocol}//${location.hostname}:${port}`;
}

export type AuditEvent = Awaited<ReturnType<typeof aas.auditEvents.list>>['data'][number];

export type CatalogModel = Awaited<ReturnType<typeof aas.models.list>>['data'][number];

export type Caller = Awaited<ReturnType<typeof aas.me.get>>;

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Returns whether the request failed because the person is not signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Returns the errors of a rejected request body. Each `pointer` is the JSON Pointer of an invalid value. */
export function problemPlaces(error: unknown): readonly { pointer?: string; detail?: string }[] {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}

/** Returns the error of the field at `pointer` (a JSON Pointer), or of a value inside the field. */
export function fieldProblem(error: unknown, pointer: string): string | undefined {
  const isInside = (at: string | undefined): boolean => at === pointer || at?.startsWith(`${pointer}/`) === true;
  return problemPlaces(error).find((place) => isInside(place.pointer))?.detail;
}

/** Returns those of the values at `pointer` that the API does not know. Throws an error with another cause. */
export function unknownValues(error: unknown, pointer: string, values: readonly string[]): string[] {
  const pointers = new Set(problemPlaces(error).map((place) => place.pointer));
  if (!(error instanceof ApiError && error.code === 'unknown_reference')) throw error;
  return values.filter((_, index) => pointers.has(`${pointer}/${index}`));
}
