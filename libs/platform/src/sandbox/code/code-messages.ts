/** A request to execute a function in the sandbox. */
export interface CodeRequest {
  /** A module in JavaScript, whose default export is the function. */
  source: string;
  /** The argument of the function as JSON. */
  input: string;
  memoryBytes: number;
  /** Time limit of the execution in milliseconds. Waiting for a thread does not count. */
  millis: number;
  /** Maximum size of the result as JSON, in bytes. */
  maxResultBytes: number;
  /** Owner of the code. Executions of different owners share no memory. */
  owner: string;
}

/**
 * `value`: the function returned; `json` is the result.
 * `error`: the function failed; `line` is the line of the source, or null if it is unknown.
 * `limit`: the function exceeded this limit.
 * `millis` is the duration of the execution, or 0 if the execution crashed QuickJS.
 */
export type CodeResult =
  | { kind: 'value'; json: string; millis: number }
  | { kind: 'error'; message: string; line: number | null; millis: number }
  | { kind: 'limit'; limit: 'memory' | 'time' | 'result'; millis: number };

/** Message from a thread to the service. `ready` means that the thread accepts requests. */
export type ThreadMessage = { ready: true } | { result: CodeResult };
