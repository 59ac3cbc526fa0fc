/**
 * The kernel: words that every other lib speaks. Pure functions and types, no dependency, no I/O.
 */
export { Clock, LONGEST_TIMER_MILLIS, nextTurn, systemClock } from './clock.js';
export {
  DomainError,
  ERROR_CODES,
  ERROR_KINDS,
  type ErrorCode,
  type ErrorKind,
  type ErrorPlace,
  type GivenName,
  parameterPlace,
  invariant,
  notFound,
} from './domain-error.js';
export { DURATION_PATTERN, parseDuration } from './duration.js';
export { errorText } from './error-text.js';
export { ID_PREFIXES, type IdKind, idRange, isId, lowestId, newId } from './ids.js';
export {
  canonicalJson,
  findUnsafeJson,
  isJsonObject,
  MAX_JSON_DEPTH,
  mergedJson,
  type JsonObject,
  jsonPointer,
  type JsonValue,
  storableJson,
  storableText,
  ownMember,
} from './json.js';
export { formatMicros, parseMicros } from './money.js';
export { type Page, type PageRequest, SORT_ORDERS, type SortOrder, toPage } from './page.js';
export { assertExpected, type ExpectedVersions } from './precondition.js';
export { ReadCache } from './read-cache.js';
export { closest, didYouMean } from './suggest.js';
export { parseInstant, parseTimestamp } from './timestamp.js';
export { byteText, hourText } from './unit-text.js';
