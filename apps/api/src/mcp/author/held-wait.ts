import { DomainError, parseDuration } from '@app/kernel';

export const MAX_WAIT = '50s';
const DEFAULT_WAIT = '20s';
const MAX_WAIT_MILLIS = 50_000;

export const WAIT_PATTERN = '^[0-9]+(ms|s|m)$';

/**
 * Returns the milliseconds for which a call may be held.
 * @throws DomainError `input_invalid`
 */
export function waitMillis(text = DEFAULT_WAIT): number {
  const millis = text === '0s' ? 0 : parseDuration(text);
  if (millis !== undefined && millis <= MAX_WAIT_MILLIS) return millis;
  const detail = `\`wait\` must be a duration from 0s to ${MAX_WAIT}, for example \`${DEFAULT_WAIT}\`.`;
  throw new DomainError('input_invalid', detail, { errors: [{ pointer: '/wait', detail }] });
}
