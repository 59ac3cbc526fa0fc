import { isFixtureName, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { EvaluationCase, FixtureUse, MockedAnswer } from './compiled-evaluation.js';

/** The file for which the name of a fixture stands; undefined if there is none. */
type FixtureValues = (name: string) => JsonValue | undefined;

function fixtureName(value: JsonObject): string | undefined {
  const { fixture, ...rest } = value;
  return typeof fixture === 'string' && isFixtureName(fixture) && Object.keys(rest).length === 0 ? fixture : undefined;
}

export function fixturesIn(value: JsonValue, path: FixtureUse['path']): FixtureUse[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => fixturesIn(item, [...path, at]));
  if (!isJsonObject(value)) return [];
  const name = fixtureName(value);
  if (name !== undefined) return [{ name, path }];
  return Object.entries(value).flatMap(([key, member]) => fixturesIn(member, [...path, key]));
}

function withFixtures(value: JsonValue, values: FixtureValues): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withFixtures(item, values));
  if (!isJsonObject(value)) return value;
  const name = fixtureName(value);
  return name === undefined ? withFixturesBelow(value, values) : (values(name) ?? value);
}

/** Like {@link withFixtures}, but the value itself names no fixture: the input of a run, or an answer. */
export function withFixturesBelow(value: JsonObject, values: FixtureValues): JsonObject {
  return mapped(value, (member) => withFixtures(member, values));
}

/** Returns the case with the files of its fixtures. */
export function caseWithFixtures(one: EvaluationCase, values: FixtureValues): EvaluationCase {
  if (one.fixtures.length === 0) return one;
  const filled = (value: JsonValue): JsonValue => withFixtures(value, values);
  const answer = (each: MockedAnswer): MockedAnswer => ('output' in each ? { output: filled(each.output) } : each);
  const { answers } = one;
  return {
    ...one,
    input: withFixturesBelow(one.input, values),
    mock: new Map([...one.mock].map(([name, value]) => [name, filled(value)])),
    mockEach: new Map([...one.mockEach].map(([name, each]) => [name, each.map(answer)])),
    ...(answers && {
      answers: new Map([...answers].map(([step, value]) => [step, withFixturesBelow(value, values)])),
    }),
  };
}

/** Stands for every fixture where a definition is checked, because the files may not exist yet. */
export function sampleFixture(name: string): JsonObject {
  const [file, sha256] = [`file_${'0'.repeat(26)}`, '0'.repeat(64)];
  return { file, filename: name, content_type: 'application/octet-stream', bytes: 0, sha256 };
}

function mapped(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, change(member)]));
}
