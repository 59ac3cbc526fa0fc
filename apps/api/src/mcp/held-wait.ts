import { DomainError, type JsonObject, parseDuration } from '@app/kernel';

const MAX_WAIT = '50s';
const MAX_WAIT_MILLIS = 50_000;

/** Schema of the argument `wait` of a tool that can hold its answer. */
export function waitArgument(defaultWait: string): JsonObject {
  return {
    type: 'string',
    pattern: '^[0-9]+(ms|s|m)$',
    description: `Time to wait for the end of the run: \`0s\` to \`${MAX_WAIT}\`. Default: \`${defaultWait}\`.`,
  };
}

/**
 * Returns the milliseconds for which a call may be held.
 * @throws DomainError `input_invalid`
 */
export function waitMillis(wait: string): number {
  const millis = parseDuration(wait);
  if (millis !== undefined && millis <= MAX_WAIT_MILLIS) return millis;
  const detail = `\`wait\` must be a duration from \`0s\` to \`${MAX_WAIT}\`.`;
  throw new DomainError('input_invalid', detail, { errors: [{ pointer: '/wait', detail }] });
}
