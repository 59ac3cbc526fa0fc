import { type Json, listOf, objectOf, textOf } from '../plan/definition-json.js';

/** An evaluation case of a definition, as far as a test run of the editor uses it. */
export interface TestCase {
  name: string;
  input: Json;
  /** Responses of tools, by operation. */
  mock: Json;
}

/** Members of a case that only an evaluation can use. */
const ONLY_EVALUATED = ['mock_each', 'state', 'answers'];

/** Returns the evaluation cases that a test run can use. */
export function testCases(definition: unknown): readonly TestCase[] {
  return listOf(objectOf(objectOf(definition).evaluation).cases)
    .map(objectOf)
    .filter((each) => textOf(each.name) !== '' && ONLY_EVALUATED.every((name) => each[name] === undefined))
    .map(({ name, input, mock }) => ({ name: textOf(name), input: objectOf(input), mock: objectOf(mock) }));
}
