import type { JsonObject } from '@app/kernel';
import type { CelType } from './cel-types.js';

/** The type and the schema of the output of a step, as far as they are known when a definition is created. */
export interface KnownOutput {
  readonly type: CelType;
  readonly schema?: JsonObject | undefined;
}

const STEP_STATUSES = ['succeeded', 'failed', 'skipped'] as const;

/** The schema of `steps.<id>.status`. */
export const STEP_STATUS: JsonObject = { type: 'string', enum: [...STEP_STATUSES] };

export const STEP_FIELDS: { readonly status: CelType; readonly error: CelType } = {
  status: 'string',
  error: { code: 'string', message: 'string', status: 'dyn', body: 'dyn' },
};

export const STEP_MEMBERS: readonly string[] = ['output', ...Object.keys(STEP_FIELDS)];
