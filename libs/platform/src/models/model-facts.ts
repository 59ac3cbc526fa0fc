import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EFFORT_LEVELS, type EffortLevel } from '@app/kernel';
import type { YamlNode } from '@app/platform/config';

const MODEL_INPUTS = ['text', 'image', 'pdf'] as const;
type ModelInput = (typeof MODEL_INPUTS)[number];

const REFUSABLE_PARAMS = ['temperature', 'top_p', 'seed', 'stop', 'max_output_tokens'] as const;
type RefusableParam = (typeof REFUSABLE_PARAMS)[number];

export interface ModelFacts {
  readonly input: readonly ModelInput[];
  readonly structuredOutput: boolean;
  readonly effort: readonly EffortLevel[] | null;
  readonly refuses: readonly RefusableParam[];
  readonly endsAt: string | null;
}

/** Facts about a model that neither the shipped table nor a profile describes. */
export const UNKNOWN_MODEL: ModelFacts = {
  input: ['text'],
  structuredOutput: false,
  effort: null,
  refuses: [],
  endsAt: null,
};

interface TableEntry {
  input?: ModelInput[];
  structured_output?: boolean;
  effort?: EffortLevel[];
  refuses?: RefusableParam[];
  ends_at?: string | null;
}

const KEYS = ['input', 'structured_output', 'effort', 'refuses', 'ends_at'];

let table: Readonly<Record<string, Readonly<Record<string, TableEntry>>>> | undefined;

export function shippedModels(type: string): ReadonlyMap<string, ModelFacts> {
  table ??= JSON.parse(readFileSync(join(import.meta.dirname, 'models.json'), 'utf8')) as NonNullable<typeof table>;
  return new Map(Object.entries(table[type] ?? {}).map(([name, entry]) => [name, factsOf(entry)]));
}

export function readModelFacts(
  node: YamlNode,
  shipped: ReadonlyMap<string, ModelFacts>,
): ReadonlyMap<string, ModelFacts> {
  const own = node.entries().map(([name, entry]) => [name, readFacts(entry, shipped.get(name))] as const);
  return new Map([...shipped, ...own]);
}

function factsOf(entry: TableEntry): ModelFacts {
  return {
    input: entry.input ?? UNKNOWN_MODEL.input,
    structuredOutput: entry.structured_output ?? UNKNOWN_MODEL.structuredOutput,
    effort: entry.effort ?? UNKNOWN_MODEL.effort,
    refuses: entry.refuses ?? UNKNOWN_MODEL.refuses,
    endsAt: entry.ends_at ?? UNKNOWN_MODEL.endsAt,
  };
}

function readFacts(node: YamlNode, shipped: ModelFacts = UNKNOWN_MODEL): ModelFacts {
  node.allowKeys(KEYS);
  const input = wordsOf(node.member('input'), MODEL_INPUTS) ?? shipped.input;
  if (!input.includes('text')) node.member('input').reject('a list that contains text');
  return {
    input,
    structuredOutput: flagOf(node.member('structured_output')) ?? shipped.structuredOutput,
    effort: wordsOf(node.member('effort'), EFFORT_LEVELS) ?? shipped.effort,
    refuses: wordsOf(node.member('refuses'), REFUSABLE_PARAMS) ?? shipped.refuses,
    endsAt: endOf(node.member('ends_at'), shipped.endsAt),
  };
}

function wordsOf<T extends string>(node: YamlNode, allowed: readonly T[]): readonly T[] | undefined {
  if (node.isAbsent) return undefined;
  const { value } = node;
  const known: readonly unknown[] = allowed;
  if (Array.isArray(value) && value.every((each) => known.includes(each)))
    return allowed.filter((word) => value.includes(word));
  node.reject(`a list of ${allowed.join(', ')}`);
  return undefined;
}

function flagOf(node: YamlNode): boolean | undefined {
  if (node.isAbsent) return undefined;
  if (typeof node.value === 'boolean') return node.value;
  node.reject('true or false');
  return undefined;
}

function endOf(node: YamlNode, shipped: string | null): string | null {
  if (node.value === undefined) return shipped;
  if (node.value === null) return null;
  const text = typeof node.value === 'string' ? node.value : '';
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text;
  node.reject('a date such as 2027-04-01, or null');
  return null;
}
