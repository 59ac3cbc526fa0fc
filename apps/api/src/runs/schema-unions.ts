import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { RUN_EVENTS } from './run-events.api.js';
import { TRACE_STEPS } from './trace-steps.api.js';

const VARIANTS: readonly Type[] = [...Object.values(TRACE_STEPS), ...Object.values(RUN_EVENTS)];

/** Schemas with several variants. The field `type` selects the variant. */
const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  TraceStep: unionOf(
    'A step of a run. Its `type` decides which fields it has. The wait for a decision counts in the `approval` or `in_doubt` step, not in the call. `status`: `pending`: approved, not begun. `denied`: refused by a policy, an approver or a missing grant. `simulated`: a write in mode `test`, not sent. `in_doubt`: outcome unknown. `cancelled`: aborted.',
    TRACE_STEPS,
  ),
  RunEvent: unionOf('An event of the stream of a run. `type` is the line `event:` of the stream.', RUN_EVENTS),
};

export const RUN_UNIONS = { variants: VARIANTS, schemas: SCHEMAS };

function unionOf(description: string, variants: Readonly<Record<string, Type>>): JsonObject {
  const mapping = Object.fromEntries(Object.entries(variants).map(([type, model]) => [type, getSchemaPath(model)]));
  return {
    description,
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping },
  };
}
