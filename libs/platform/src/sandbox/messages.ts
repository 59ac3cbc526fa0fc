/** From the service to a confined process: a call of a function of its program. */
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

/** From a confined process to the service. `ready`: its program is loaded. `crash`: the process ends now. */
export type AnswerMessage =
  | { ready: true }
  | { id: number; value: unknown }
  | { id: number; failure: FailureMessage }
  | { crash: FailureMessage };
