import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '@app/kernel';
import { schemaValidator } from './schema-validator.js';

/** The required and the optional cases of the official JSON Schema Test Suite. */
const SUITE = new URL('../../../test/fixtures/json-schema-test-suite/', import.meta.url);

interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[];
}

/** The groups that have cases with another result here, by the reason. A star stands for all groups of a file. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'A schema outside of the document is never fetched, and a reference to it accepts every value.': [
    'refRemote: *',
    'ref: remote ref, containing refs itself',
    'defs: validate definition against metaschema',
    'definitions: validate definition against metaschema',
    'optional/cross-draft: refs to future drafts are processed as future drafts',
    'dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first',
    'dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first',
    'dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor',
    'dynamicRef: strict-tree schema, guards against misspelled properties',
    'dynamicRef: tests for implementation dynamic anchor and reference link',
  ],
  'A `format` is asserted. In 2020-12 it is only an annotation, unless a validator is configured to assert it.': [
    'format: *',
  ],
  'The vocabulary of an own meta-schema is not read.': [
    'vocabulary: schema that uses custom metaschema with with no validation vocabulary',
  ],
  'A pattern is an RE2 expression. RE2 has other classes of characters than ECMAScript.': [
    'optional/ecmascript-regex: *',
    'pattern: pattern with Unicode property escape requires unicode mode',
  ],
  'The encoding and media type of a text are annotations, as they are since 2019-09.': ['optional/content: *'],
  'JSON has one type of number, so `1.0` is an integer, as it is since draft-06.': ['optional/zeroTerminatedFloats: *'],
};

const DIALECTS = [
  { name: 'draft2020-12', $schema: 'https://json-schema.org/draft/2020-12/schema', cases: 2225, deviations: 62 },
  { name: 'draft2019-09', $schema: 'https://json-schema.org/draft/2019-09/schema', cases: 2174, deviations: 35 },
  { name: 'draft7', $schema: 'http://json-schema.org/draft-07/schema#', cases: 1721, deviations: 34 },
  { name: 'draft6', $schema: 'http://json-schema.org/draft-06/schema#', cases: 1270, deviations: 29 },
  { name: 'draft4', $schema: 'http://json-schema.org/draft-04/schema#', cases: 937, deviations: 27 },
];

const listed = new Set(Object.values(EXCEPTIONS).flat());

describe('the official JSON Schema Test Suite', () => {
  const results = DIALECTS.map((dialect) => ({ ...dialect, results: resultsOf(dialect) }));
  const needed = new Set(results.flatMap((dialect) => dialect.results.filter(isDeviation).map(exceptionOf)));

  it.each(results)('has these results in $name, except for the listed groups', (dialect) => {
    const deviations = dialect.results.filter(isDeviation);
    const unlisted = deviations.filter((result) => !listed.has(exceptionOf(result)));
    expect(unlisted.map(({ file, group, test }) => `${file}: ${group}: ${test}`)).toEqual([]);
    expect([dialect.results.length, deviations.length]).toEqual([dialect.cases, dialect.deviations]);
  });

  it('needs each exception', () => {
    expect([...listed].filter((exception) => !needed.has(exception))).toEqual([]);
  });
});

interface Result {
  readonly file: string;
  readonly group: string;
  readonly test: string;
  readonly expected: boolean;
  readonly isValid: boolean;
}

function isDeviation({ expected, isValid }: Result): boolean {
  return expected !== isValid;
}

function exceptionOf({ file, group }: Result): string {
  return listed.has(`${file}: *`) ? `${file}: *` : `${file}: ${group}`;
}

function resultsOf({ name, $schema }: { name: string; $schema: string }): Result[] {
  const groups = JSON.parse(readFileSync(new URL(`${name}.json`, SUITE), 'utf8')) as Group[];
  return groups.flatMap(({ file, description, schema, tests }) => {
    const rules = typeof schema === 'boolean' ? { allOf: [schema] } : schema;
    const validator = schemaValidator({ $schema, ...rules });
    return tests.map((test) => ({
      file,
      group: description,
      test: test.description,
      expected: test.valid,
      isValid: validator.validate(test.data).length === 0,
    }));
  });
}
