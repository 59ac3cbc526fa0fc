/** The run that refers to files. */
export interface FileRun {
  runId: string;
  agentId: string;
  /** The run that called the agent, or null. */
  parentRunId: string | null;
}

export interface FileReference {
  file: string;
  /** The place as in `redact`: `input.invoice`, `steps.fetch.output`. */
  place: string;
  step: string | null;
  redacted: boolean;
  /** If absent, the database checks it. */
  granted?: true;
}

export interface RunFileReference extends FileReference {
  runId: string;
  agentId: string;
}
