import type { EnvReader } from './env-reader.js';
import type { RetentionEnv } from './retention-env.js';

/** How large what is sent may be, and how long what is given out for a while counts. */
export interface LimitsEnv {
  /** Bytes of a definition's text, and levels of its objects and lists. */
  readonly definitionLimits: { readonly bytes: number; readonly depth: number };
  /** Bytes of a run's input as JSON, and of what calls a webhook. */
  readonly maxInputBytes: number;
  /** Bytes of a tool's response that are recorded; of a larger one the beginning. */
  readonly maxRecordedBytes: number;
  /** Bytes of one document that is pushed. */
  readonly maxUploadBytes: number;
  /** How long a request with an idempotency key is recognised. */
  readonly idempotencyMillis: number;
  /** How long a list can be gone on with. */
  readonly cursorMillis: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const HOUR_MILLIS = 3_600_000;

export function readLimits(read: EnvReader, retention: RetentionEnv): LimitsEnv {
  return {
    definitionLimits: {
      // The sample agent of `npm start` fits into the least. A definition is checked while the rest of the api waits, which takes
      // time in proportion to its length: at the most as long as for a body of another kind.
      bytes: read.integer('MAX_DEFINITION_BYTES', { fallback: 256 * KIB, min: 16 * KIB, max: MIB }),
      // What reads, checks and compares definitions goes down level by level on its stack, as does Postgres. What people write
      // is not that deep.
      depth: read.integer('MAX_DEFINITION_DEPTH', { fallback: 32, min: 16, max: 128 }),
    },
    // An expression gives 4 MiB at the most (`MAX_RESULT_CHARACTERS`), and has to be able to hand on what has arrived as a whole.
    maxInputBytes: read.integer('MAX_INPUT_BYTES', { fallback: MIB, min: 64 * KIB, max: 4 * MIB }),
    // For the same reason: what a tool has answered is what the plan goes on with.
    maxRecordedBytes: read.integer('MAX_RECORDED_BYTES', { fallback: MIB, min: 4 * KIB, max: 4 * MIB }),
    // A document is in the memory of the api a few times over, as its body and in the statement that keeps it, and has five minutes
    // to arrive; whoever reads it has half a gigabyte for what it makes of it.
    maxUploadBytes: read.integer('MAX_UPLOAD_BYTES', { fallback: 50 * MIB, min: 64 * KIB, max: 100 * MIB }),
    idempotencyMillis: readIdempotency(read, retention),
    cursorMillis: read.integer('CURSOR_HOURS', { fallback: 24, min: 1, max: 720 }) * HOUR_MILLIS,
  };
}

/** A key that counts is answered with the run that it stands for, so that has to be there. */
function readIdempotency(read: EnvReader, { runRetentionDays }: RetentionEnv): number {
  const hours = read.integer('IDEMPOTENCY_HOURS', { fallback: 24, min: 1, max: 720 });
  const most = runRetentionDays === 0 ? Infinity : 24 * runRetentionDays;
  if (hours > most)
    read.wrong('IDEMPOTENCY_HOURS', String(hours), `at most RUN_RETENTION_DAYS, which are ${most} hours`);
  return hours * HOUR_MILLIS;
}
