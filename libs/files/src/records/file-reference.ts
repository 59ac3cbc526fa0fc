/** The run that refers to files. */
export interface FileRun {
  runId: string;
  agentId: string;
  /** The run that called the agent, or null. */
  parentRunId: string | null;
}

/** A place of a run at which a value names a file. */
export interface FileReference {
  file: string;
  /** The place as in `redact`: `input.invoice`, `steps.fetch.output`. */
  place: string;
  /** Path of the step, or null for the input and the output of the run. */
  step: string | null;
  /** Whether the run redacts the place. */
  redacted: boolean;
  /** The caller has proven that the run may use the file. Otherwise, the database checks it. */
  granted?: true;
}

export interface RunFileReference extends FileReference {
  runId: string;
  agentId: string;
}
