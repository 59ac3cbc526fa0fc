import { formatShare } from '../ui/format-values.js';
import { periodText, word } from '../data/words.js';

/** Parses a range of two versions in the page URL, such as `3...7`. Returns undefined for any other text. */
export function versionRange(text: string): readonly [a: number, b: number] | undefined {
  const [, a, b] = /^([1-9]\d{0,8})\.\.\.([1-9]\d{0,8})$/.exec(text) ?? [];
  return a === undefined || b === undefined ? undefined : [Number(a), Number(b)];
}

export interface GateRules {
  gate: readonly (readonly [name: string, value: string])[];
  cases: readonly { name: string; tags: readonly string[]; assertions: number }[];
  /** True if the evaluation also replays recorded runs. */
  replaysRuns: boolean;
}

interface EvaluationPart {
  cases?: readonly { name?: string; tags?: readonly string[]; assert?: readonly unknown[] }[];
  from_runs?: unknown;
  gate?: Readonly<Record<string, unknown>>;
}

/** Returns the conditions of the promotion gate, or undefined if the definition has no gate. */
export function gateRules(definition: unknown): GateRules | undefined {
  const { evaluation } = definition as { evaluation?: EvaluationPart };
  if (evaluation?.gate === undefined) return undefined;
  const rules = Object.entries({ min_pass_rate: 'every case must pass', ...evaluation.gate });
  return {
    gate: rules.map(([name, value]) => [word('gate', name), ruleText(name, value)]),
    cases: (evaluation.cases ?? []).map(({ name = '', tags = [], assert = [] }) => ({
      name,
      tags,
      assertions: assert.length,
    })),
    replaysRuns: evaluation.from_runs !== undefined,
  };
}

function ruleText(name: string, value: unknown): string {
  if (typeof value === 'string') return periodText(value);
  if (typeof value === 'number' && name !== 'max_regressions') return formatShare(value, 1);
  const tags = (value as { tags?: unknown } | null)?.tags;
  return Array.isArray(tags) ? tags.join(', ') : JSON.stringify(value);
}
