/** From the service to the isolated process. */
export interface CallMessage {
  id: number;
  method: string;
  argument: unknown;
}

/** An error in plain values. */
export interface FailureMessage {
  name: string;
  message: string;
  details: Record<string, string | number | boolean>;
}

/** From the isolated process to the service. `crash`: the process ends now. */
export type AnswerMessage =
  { id: number; value: unknown } | { id: number; failure: FailureMessage } | { crash: FailureMessage };
