import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { regexProblem, safeRegex, type SafeRegex } from '@app/cel';
import { fileMisfit, fileRuleOf } from './file-rule.js';
import { formatNamed } from './formats.js';
import { ANY_FILES, type Check, type Evaluation, type SchemaNode } from './schema-node.js';

/** Returns null if there is nothing to check. */
export type Keyword = (keyword: JsonValue, node: SchemaNode, name: string) => Check | null;

const CHARACTERS_PER_STEP = 32;

export const ASSERTIONS: Readonly<Record<string, Keyword>> = {
  type,
  file,
  maximum: numberLimit(
    (value, limit) => value <= limit,
    'exclusiveMaximum',
    (value, limit) => value < limit,
    '<=',
  ),
  minimum: numberLimit(
    (value, limit) => value >= limit,
    'exclusiveMinimum',
    (value, limit) => value > limit,
    '>=',
  ),
  exclusiveMaximum: exclusiveLimit((value, limit) => value < limit, '<'),
  exclusiveMinimum: exclusiveLimit((value, limit) => value > limit, '>'),
  multipleOf,
  maxLength: lengthLimit((length, limit) => length <= limit, 'NOT have more than'),
  minLength: lengthLimit((length, limit) => length >= limit, 'NOT have fewer than'),
  pattern,
  format,
  const: (allowed, node) => {
    const equals = equalTo([allowed]);
    return (value, at, run) =>
      equals(value, run) || node.fail('const', value, at, run, { allowedValue: allowed }, 'must be equal to constant');
  },
  enum: (allowed, node) => {
    if (!Array.isArray(allowed)) return node.malformed('enum');
    const equals = equalTo(allowed);
    const message = 'must be equal to one of the allowed values';
    return (value, at, run) =>
      equals(value, run) || node.fail('enum', value, at, run, { allowedValues: allowed }, message);
  },
  maxProperties: sizeLimit(
    isJsonObject,
    (value) => Object.keys(value).length,
    (size, limit) => size <= limit,
    'more',
  ),
  minProperties: sizeLimit(
    isJsonObject,
    (value) => Object.keys(value).length,
    (size, limit) => size >= limit,
    'fewer',
  ),
  required,
  dependentRequired,
  maxItems: sizeLimit(
    Array.isArray,
    (value) => value.length,
    (size, limit) => size <= limit,
    'more',
  ),
  minItems: sizeLimit(
    Array.isArray,
    (value) => value.length,
    (size, limit) => size >= limit,
    'fewer',
  ),
  uniqueItems: (isUnique, node) => {
    if (typeof isUnique !== 'boolean') return node.malformed('uniqueItems');
    if (!isUnique) return null;
    return (value, at, run) =>
      !Array.isArray(value) ||
      new Set(value.map((item) => countedJson(item, run))).size === value.length ||
      node.fail('uniqueItems', value, at, run, {}, 'must NOT have duplicate items');
  },
};

const TYPES: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/**
 * A value must name a file that the caller of the check knows. A schema that a definition stored before the keyword
 * existed may use the name for something else, so a keyword of another form checks nothing.
 */
function file(_keyword: JsonValue, node: SchemaNode): Check | null {
  const rule = fileRuleOf(node.schema);
  if (!rule) return null;
  return (value, at, run) => {
    const id = isJsonObject(value) ? value.file : undefined;
    if (run.files === ANY_FILES && isJsonObject(value) && ANY_FORM.some((member) => member in value)) return true;
    const facts = typeof id === 'string' ? run.files.get(id) : undefined;
    const misfit = facts ? fileMisfit(rule, facts) : NO_FILE;
    return misfit === undefined || node.fail('file', value, at, run, { isKnown: facts !== undefined }, misfit);
  };
}

/** Members of which a constant of a definition may have one where a run has a stored file. */
const ANY_FORM = ['file', 'fixture', 'base64', 'text'];
const NO_FILE = 'This value must be a file that the run may use.';

function type(types: JsonValue, node: SchemaNode): Check | null {
  const names = Array.isArray(types) ? types : [types];
  const tests = names.map((name) => (typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined));
  if (tests.length === 0 || tests.includes(undefined)) return node.malformed('type');
  // `nullable` is not a keyword of JSON Schema, but authors copy it from OpenAPI 3.0.
  if (node.schema.nullable === true) tests.push(TYPES.null);
  const [first] = tests;
  const message = `must be ${names.map(String).join(',')}`;
  const fail: Check = (value, at, run) => node.fail('type', value, at, run, { type: types }, message);
  if (tests.length === 1 && first) return (value, at, run) => first(value) || fail(value, at, run, null);
  return (value, at, run) => tests.some((test) => test?.(value)) || fail(value, at, run, null);
}

/** In draft-04, `exclusiveMinimum: true` or `exclusiveMaximum: true` excludes the limit. */
function numberLimit(
  fits: (value: number, limit: number) => boolean,
  exclusive: string,
  fitsExclusively: (value: number, limit: number) => boolean,
  comparison: '<=' | '>=',
): Keyword {
  return (limit, node, name) => {
    if (typeof limit !== 'number') return node.malformed(name);
    const isExclusive = node.schema[exclusive] === true;
    const test = isExclusive ? fitsExclusively : fits;
    const [keyword, sign] = isExclusive ? [exclusive, comparison.charAt(0)] : [name, comparison];
    const params = { comparison: sign, limit };
    return (value, at, run) =>
      typeof value !== 'number' ||
      test(value, limit) ||
      node.fail(keyword, value, at, run, params, `must be ${sign} ${limit}`);
  };
}

function exclusiveLimit(fits: (value: number, limit: number) => boolean, comparison: '<' | '>'): Keyword {
  return (limit, node, name) => {
    if (typeof limit === 'boolean') return null;
    if (typeof limit !== 'number') return node.malformed(name);
    return (value, at, run) =>
      typeof value !== 'number' ||
      fits(value, limit) ||
      node.fail(name, value, at, run, { comparison, limit }, `must be ${comparison} ${limit}`);
  };
}

/** Computes with exact decimal fractions, so that 19.99 is a multiple of 0.01. */
function multipleOf(factor: JsonValue, node: SchemaNode): Check | null {
  if (typeof factor !== 'number' || factor <= 0 || !Number.isFinite(factor)) return node.malformed('multipleOf');
  return (value, at, run) => {
    if (typeof value !== 'number' || Number.isInteger(value / factor)) return true;
    // The exact division needs hundreds of digits if the numbers differ much in size, so it costs more steps.
    run.spend(200);
    if (isDecimalMultiple(value, factor)) return true;
    return node.fail('multipleOf', value, at, run, { multipleOf: factor }, `must be multiple of ${factor}`);
  };
}

function isDecimalMultiple(value: number, factor: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [a, b] = [decimalOf(value), decimalOf(factor)];
  const scale = Math.min(a.exponent, b.exponent);
  return (a.digits * 10n ** BigInt(a.exponent - scale)) % (b.digits * 10n ** BigInt(b.exponent - scale)) === 0n;
}

function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function lengthLimit(fits: (length: number, limit: number) => boolean, rule: string): Keyword {
  return (limit, node, name) => {
    if (typeof limit !== 'number') return node.malformed(name);
    return (value, at, run) => {
      if (typeof value !== 'string') return true;
      run.spend(Math.ceil(value.length / CHARACTERS_PER_STEP));
      return (
        fits(codePoints(value), limit) || node.fail(name, value, at, run, { limit }, `must ${rule} ${limit} characters`)
      );
    };
  };
}

function codePoints(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    length -= 1;
    at += 1;
  }
  return length;
}

function pattern(source: JsonValue, node: SchemaNode): Check | null {
  if (typeof source !== 'string') return node.malformed('pattern');
  const matches = patternTest(source, node, ['pattern']);
  if (!matches) return null;
  return (value, at, run) =>
    typeof value !== 'string' ||
    matches(value, run) ||
    node.fail('pattern', value, at, run, { pattern: source }, `must match pattern "${source}"`);
}

/**
 * Creates the test of a pattern. The test counts its work. If RE2 does not support the pattern, records that the
 * pattern is not checked, and returns null.
 */
export function patternTest(
  source: string,
  node: SchemaNode,
  path: readonly (string | number)[],
): ((text: string, run: Evaluation) => boolean) | null {
  const re2 = toRe2(source);
  const problem = regexProblem(re2);
  if (problem !== undefined)
    return node.skip('pattern', path, `The pattern \`${source}\` cannot be checked: ${problem}.`);
  let regex: SafeRegex | undefined;
  return (text, run) => {
    regex ??= safeRegex(re2);
    run.spend(regex.stepsFor(text.length));
    return regex.test(text);
  };
}

/** Translates numeric character escapes of JavaScript (`\u0041`) to RE2. */
export function toRe2(pattern: string): string {
  return pattern.replace(/\\(?:u([0-9a-f]{4})|u\{([0-9a-f]+)\}|[^])/gi, (escape, four?: string, braced?: string) => {
    const hex = four ?? braced;
    return hex === undefined ? escape : `\\x{${hex}}`;
  });
}

/** An unknown format is only an annotation, so there is nothing to check. */
function format(name: JsonValue, node: SchemaNode): Check | null {
  if (typeof name !== 'string') return node.malformed('format');
  const known = formatNamed(name);
  if (!known) return null;
  return (value, at, run) => {
    if (typeof value !== known.type) return true;
    if (typeof value === 'string') run.spend(known.stepsFor(value.length));
    return known.fits(value) || node.fail('format', value, at, run, { format: name }, `must match format "${name}"`);
  };
}

/** Creates a test that compares a value with constants. Scalars are looked up in a set. */
function equalTo(allowed: readonly JsonValue[]): (value: JsonValue, run: Evaluation) => boolean {
  const plain = new Set(allowed.filter((one) => typeof one !== 'object' || one === null));
  let composed: ReadonlySet<string> | undefined;
  return (value, run) => {
    if (typeof value !== 'object' || value === null) return plain.has(value);
    if (plain.size === allowed.length) return false;
    composed ??= new Set(allowed.filter((one) => typeof one === 'object' && one !== null).map(canonicalJson));
    return composed.has(countedJson(value, run));
  };
}

function countedJson(value: JsonValue, run: Evaluation): string {
  spendSize(value, run);
  return canonicalJson(value);
}

function spendSize(value: JsonValue, run: Evaluation): void {
  if (typeof value === 'string') run.spend(2 + value.length / CHARACTERS_PER_STEP);
  else if (Array.isArray(value)) {
    run.spend(2);
    for (const item of value) spendSize(item, run);
  } else if (isJsonObject(value)) {
    run.spend(2);
    for (const [key, member] of Object.entries(value)) {
      run.spend(4 + key.length / CHARACTERS_PER_STEP);
      spendSize(member, run);
    }
  } else run.spend(2);
}

function sizeLimit<T extends JsonValue>(
  isKind: (value: JsonValue) => value is T,
  sizeOf: (value: T) => number,
  fits: (size: number, limit: number) => boolean,
  word: 'more' | 'fewer',
): Keyword {
  return (limit, node, name) => {
    if (typeof limit !== 'number') return node.malformed(name);
    const things = name.endsWith('Items') ? 'items' : 'properties';
    return (value, at, run) => {
      if (!isKind(value)) return true;
      const size = sizeOf(value);
      if (things === 'properties') run.spend(size / 4);
      return (
        fits(size, limit) || node.fail(name, value, at, run, { limit }, `must NOT have ${word} than ${limit} ${things}`)
      );
    };
  };
}

function required(names: JsonValue, node: SchemaNode): Check | null {
  if (!isNameList(names))
    return typeof names === 'boolean' && node.dialect.rank === 4 ? null : node.malformed('required');
  if (names.length === 0) return null;
  return (value, at, run) =>
    !isJsonObject(value) ||
    hasAll(
      names,
      value,
      (missing) =>
        node.fail('required', value, at, run, { missingProperty: missing }, `must have required property '${missing}'`),
      run,
    );
}

function dependentRequired(dependencies: JsonValue, node: SchemaNode): Check | null {
  if (!isJsonObject(dependencies) || !Object.values(dependencies).every(isNameList))
    return node.malformed('dependentRequired');
  const rules = Object.entries(dependencies).map(([property, names]) =>
    dependentNamesCheck(property, isNameList(names) ? names : [], node, 'dependentRequired'),
  );
  return everyCheck(rules);
}

/** Stops at the first failure if errors are not recorded. */
export function everyCheck(checks: readonly Check[]): Check {
  return (value, at, run, evaluated) => {
    let fits = true;
    for (const check of checks) {
      if (check(value, at, run, evaluated)) continue;
      fits = false;
      if (run.isQuiet) break;
    }
    return fits;
  };
}

export function dependentNamesCheck(
  property: string,
  names: readonly string[],
  node: SchemaNode,
  keyword: string,
): Check {
  return (value, at, run) => {
    run.spend(1);
    if (!isJsonObject(value) || !Object.hasOwn(value, property)) return true;
    return hasAll(
      names,
      value,
      (missing) => {
        const params = { property, missingProperty: missing };
        return node.fail(
          keyword,
          value,
          at,
          run,
          params,
          `must have property ${missing} when property ${property} is present`,
        );
      },
      run,
    );
  };
}

function hasAll(
  names: readonly string[],
  value: JsonObject,
  fail: (missing: string) => false,
  run: Evaluation,
): boolean {
  run.spend(names.length);
  let fits = true;
  for (const name of names) {
    if (Object.hasOwn(value, name)) continue;
    fits = fail(name);
    if (run.isQuiet) break;
  }
  return fits;
}

export function isNameList(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
