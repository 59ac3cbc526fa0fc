/** They have no dependencies and do no I/O. */
export { abortWithin } from './abort-within.js';
export { byteText, formatMicros, parseMicros } from './amount-text.js';
export { Clock, MAX_TIMER_MILLIS, nextTurn, systemClock } from './clock.js';
export {
  assertExpected,
  DomainError,
  type ErrorPlace,
  errorText,
  type ExpectedVersions,
  type GivenName,
  invariant,
  notFound,
  parameterPlace,
  type TextFix,
} from './domain-error.js';
export { EFFORT_LEVELS, type EffortLevel } from './effort.js';
export { ERROR_CODES, type ErrorCode, type ErrorKind } from './error-codes.js';
export { exactJsonText, findInexactInteger, isInexact, parseExactJson } from './exact-json.js';
export {
  type FilePlace,
  type FileValue,
  fileValuesBelow,
  fileValuesIn,
  isFileValue,
  isFixtureName,
  type NamedFile,
  replaceFileValues,
} from './file-value.js';
export { ID_PREFIXES, type IdKind, idRange, isId, lowestId, newId } from './ids.js';
export {
  canonicalJson,
  findUnsafeJson,
  hasTooManyValues,
  isJsonObject,
  type JsonObject,
  jsonPointer,
  type JsonValue,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  mergedJson,
  ownMember,
  storableJson,
  storableText,
} from './json.js';
export { type Page, type PageRequest, SORT_ORDERS, type SortOrder, toPage } from './page.js';
export { ReadCache } from './read-cache.js';
export { type ReleaseSlot, Semaphore } from './semaphore.js';
export { closest, didYouMean, nearest, proposedName, suggestName } from './suggest.js';
export {
  DURATION_PATTERN,
  formatDuration,
  hourText,
  parseDuration,
  parseInstant,
  parseTimestamp,
} from './time-text.js';
