import { parseArgs } from 'node:util';

export interface BenchOptions {
  /**
   * True to run only one repetition of a few seconds per scenario. Such a run checks that the benchmark works. Its
   * figures mean nothing.
   */
  quick: boolean;
  /** Names of the scenarios to run. If empty, all scenarios run. */
  only: readonly string[];
  json: string | undefined;
  profile: string | undefined;
  /**
   * Environment variables of the API and the workers, from the options `--set NAME=value`. They override the defaults.
   */
  set: Readonly<Record<string, string>>;
}

/**
 * Parses the command-line arguments.
 *
 * @throws if the arguments are invalid. The message names the invalid argument and the valid options.
 */
export function readBenchOptions(args: readonly string[], scenarios: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      profile: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
    },
  });
  const only = values.only.flatMap((each) => each.split(','));
  const unknown = only.find((each) => !scenarios.includes(each));
  if (unknown !== undefined)
    throw new Error(`There is no scenario ${JSON.stringify(unknown)}. There are: ${scenarios.join(', ')}.`);
  return {
    quick: values.quick,
    only,
    json: values.json,
    profile: values.profile,
    set: Object.fromEntries(values.set.map(readVariable)),
  };
}

function readVariable(text: string): [string, string] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`--set takes NAME=value, not ${JSON.stringify(text)}.`);
  return [name, value];
}
