import type { EnvReader } from './env-reader.js';

/** Days after which what has ended is forgotten; 0: never. */
export interface RetentionEnv {
  /** What the steps of a run asked for and were answered; counted from the run's end. */
  readonly traceRetentionDays: number;
  /** Runs with their approvals and events; counted from the run's end. */
  readonly runRetentionDays: number;
  readonly auditRetentionDays: number;
}

export function readRetention(read: EnvReader): RetentionEnv {
  const days = (name: string, fallback: number) => read.integer(name, { fallback, min: 0, max: 36_500 });
  return {
    traceRetentionDays: days('TRACE_RETENTION_DAYS', 30),
    runRetentionDays: days('RUN_RETENTION_DAYS', 365),
    auditRetentionDays: days('AUDIT_RETENTION_DAYS', 0),
  };
}
