import { AgentAutomation, ApiError } from '../../../../packages/sdk/src/index.js';

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

/** The API with the cookie of the signed-in person. */
export const aas = new AgentAutomation({ session: true, baseUrl: location.origin });

export type Caller = Awaited<ReturnType<typeof aas.me.get>>;

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The person is not signed in, or no longer. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** The places of a body that the service refused, each with its JSON Pointer. */
export function problemPlaces(error: unknown): readonly { pointer?: string; detail?: string }[] {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}

/** The refusal of one field of a body, or of something inside of it, by its JSON Pointer. */
export function fieldProblem(error: unknown, pointer: string): string | undefined {
  const isInside = (at: string | undefined): boolean => at === pointer || at?.startsWith(`${pointer}/`) === true;
  return problemPlaces(error).find((place) => isInside(place.pointer))?.detail;
}
