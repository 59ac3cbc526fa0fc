import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '@app/kernel';
import { getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { compileExpression } from './cel-environment.js';
import { ExpressionError } from './expression.js';

type Suite = ReturnType<typeof getConformanceSuite>;
type Case = Suite['tests'][number];
type Value = Extract<Case['original']['resultMatcher'], { case: 'value' }>['value'];

/** The files of the suite about the language and the functions that the service has, without protocol buffers. */
const FILES = [
  ...['basic', 'bindings_ext', 'comparisons', 'conversions', 'encoders_ext', 'fields', 'fp_math', 'integer_math'],
  ...['lists', 'logic', 'macros', 'math_ext', 'optionals', 'parse', 'plumbing', 'string', 'string_ext', 'timestamps'],
];
const CASES = 1_542;
const DEVIATIONS = 81;

/** The cases with another result here, by the reason. A star stands for all cases of a section. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'A name or function that does not exist is an error before anything is evaluated.': [
    'basic/variables: unbound_is_runtime_error',
    'basic/functions: unbound_is_runtime_error',
    'parse/receiver_function_names: *',
  ],
  'A value of a wrong type is an error before anything is evaluated.': [
    'logic/conditional: mixed_type',
    'logic/AND: *',
    'logic/OR: *',
    'optionals/optionals: none_optMap_hasValue',
  ],
  'The largest int is compared with the double 2^63 as the exact numbers that they are.': [
    'comparisons/lt_literal: not_lt_dyn_int_big_lossy_double',
    'comparisons/gt_literal: not_gt_dyn_big_double_int',
    'comparisons/lte_literal: lte_dyn_big_double_int',
    'comparisons/gte_literal: gte_dyn_int_big_lossy_double',
  ],
  'Some literals, optional lists and maps, and quoted fields are not available.': [
    'comparisons/gt_literal: not_gt_double',
    'fields/quoted_map_fields: *',
    'parse/bytes_literals: *',
    'optionals/optionals: optional_chaining_12',
    'optionals/optionals: optional_chaining_13',
    'optionals/optionals: optional_chaining_14',
    'optionals/optionals: optional_chaining_15',
    'optionals/optionals: optional_chaining_16',
    'optionals/optionals: map_optional_entry_has',
  ],
  'The name of the type of optionals is not available.': ['optionals/optionals: type'],
  'Optional reading takes a field of a value that is not an object as missing.': [
    'optionals/optionals: map_null_entry_no_such_key',
    'optionals/optionals: map_present_key_invalid_field',
  ],
  'The keys of maps become strings.': ['macros/exists_one: map_one'],
  'A list index is an int.': ['lists/index: zero_based_uint'],
  'NUL in a result becomes U+FFFD.': ['parse/string_literals: *'],
  'Expressions have at most 32 levels.': ['parse/nest: parens'],
  'A position beyond the end is no error of `indexOf` and `lastIndexOf`.': [
    'string_ext/value_errors: indexof_out_of_range',
    'string_ext/value_errors: lastindexof_out_of_range',
  ],
  'Timestamps have milliseconds.': [
    'timestamps/timestamp_conversions: toString_timestamp_nanos',
    'timestamps/timestamp_arithmetic: add_time_to_duration_nanos_positive',
    'timestamps/timestamp_range: add_duration_nanos_over',
  ],
};

const listed = new Set(Object.values(EXCEPTIONS).flat());

describe('the conformance suite of CEL', () => {
  const cases = getConformanceSuite()
    .suites.filter(({ name }) => FILES.includes(name))
    .flatMap((file) =>
      file.suites.flatMap((section) =>
        section.tests.filter(concernsUs).map((test) => ({ section: `${file.name}/${section.name}`, test })),
      ),
    );
  const deviations = cases
    .filter(({ test }) => !hasExpectedResult(test))
    .map(({ section, test }) => (listed.has(`${section}: *`) ? `${section}: *` : `${section}: ${test.name}`));

  it('has these results, except for the listed cases', () => {
    expect(deviations.filter((name) => !listed.has(name))).toEqual([]);
    expect([cases.length, deviations.length]).toEqual([CASES, DEVIATIONS]);
  });

  it('needs each exception', () => {
    expect([...listed].filter((name) => !deviations.includes(name))).toEqual([]);
  });
});

/** Whether a case is about neither protocol buffers nor macros that are off, and its data could come from JSON. */
function concernsUs({ original }: Case): boolean {
  const { container, disableMacros, expr, bindings } = original;
  const data = Object.entries(bindings);
  return (
    container === '' &&
    !disableMacros &&
    !/google\.protobuf|TestAllTypes/.test(expr) &&
    data.every(([name, { kind }]) => !name.includes('.') && kind.case === 'value' && isJson(kind.value))
  );
}

function isJson({ kind }: Value): boolean {
  return kind.case !== undefined && !['bytesValue', 'objectValue', 'typeValue', 'enumValue'].includes(kind.case);
}

function hasExpectedResult({ original }: Case): boolean {
  const isFailure = original.resultMatcher.case === 'evalError';
  const expected = expectedValue(original);
  const [template, json] = expected ? comparable(expected) : ['X', true];
  try {
    const result = resultOf(original, template);
    return !isFailure && isDeepStrictEqual(result, json);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return isFailure;
  }
}

/** Returns the value that a case expects. A case that names none expects true or an error. */
function expectedValue({ resultMatcher: matcher }: Case['original']): Value | undefined {
  if (matcher.case === 'value') return matcher.value;
  return matcher.case === 'typedResult' ? matcher.value.result : undefined;
}

/** Evaluates `template` with the expression of the case in place of `X`. */
function resultOf({ expr, bindings }: Case['original'], template: string): JsonValue {
  const data = Object.entries(bindings).map(([name, { kind }]) => [name, jsonOf(kind.value as Value)] as const);
  const scope = { names: new Set(Object.keys(bindings)), isTrusted: true };
  return compileExpression(
    template.replace('X', () => expr),
    scope,
  ).evaluate(Object.fromEntries(data));
}

/** Returns how to write a result as JSON without loss, and the JSON that is expected then. */
function comparable({ kind }: Value): [template: string, json: JsonValue] {
  switch (kind.case) {
    case 'int64Value':
    case 'uint64Value':
      return ['string(X)', String(kind.value)];
    case 'doubleValue':
      return Number.isFinite(kind.value) ? ['X', kind.value] : ['string(X)', infinite(kind.value)];
    case 'bytesValue':
      return ['(X).base64()', Buffer.from(kind.value).toString('base64')];
    case 'typeValue':
      return [`(X) == ${kind.value}`, true];
    default:
      return ['X', jsonOf({ kind } as Value)];
  }
}

function infinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function jsonOf({ kind }: Value): JsonValue {
  switch (kind.case) {
    case 'nullValue':
      return null;
    case 'listValue':
      return kind.value.values.map(jsonOf);
    case 'mapValue':
      return Object.fromEntries(kind.value.entries.map(({ key, value }) => [keyOf(key!), jsonOf(value!)] as const));
    case 'int64Value':
    case 'uint64Value':
      return Number(kind.value);
    case 'doubleValue':
    case 'stringValue':
    case 'boolValue':
      return kind.value;
    default:
      throw new Error(`A value of the kind ${kind.case} is not JSON.`);
  }
}

function keyOf(value: Value): string {
  const key = jsonOf(value);
  return typeof key === 'string' ? key : JSON.stringify(key);
}
