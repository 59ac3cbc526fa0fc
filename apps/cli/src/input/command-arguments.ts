import { InvalidArgumentError } from 'commander';
import type { AgentAutomation, Duration } from '../../../../packages/sdk/src/index.js';
import { usageError } from '../errors/command-error.js';

const AGENT_ID = /^agt_[0-9a-z]{26}$/;

export interface VersionName {
  agent: string;
  version: number;
}

/** Parses for example `refund-desk@3`: the name or id of an agent, and the number of a version. */
export function versionName(text: string): VersionName {
  const [, agent, version] = /^(.+)@([1-9]\d{0,8})$/.exec(text) ?? [];
  if (agent === undefined || version === undefined)
    throw new InvalidArgumentError('Write the agent and the number of a version, for example `refund-desk@3`.');
  return { agent, version: Number(version) };
}

/** Returns the id of an agent that is given by its id or name, for requests that accept only ids. */
export async function agentIdOf(aas: AgentAutomation, agent: string): Promise<string> {
  return AGENT_ID.test(agent) ? agent : (await aas.agents.get(agent)).id;
}

/** Returns an agent that is given by its id or name in the form of requests that accept both. */
export function agentReference(agent: string): string {
  return AGENT_ID.test(agent) ? agent : `name:${agent}`;
}

export function duration(text: string): Duration {
  if (isDuration(text)) return text;
  throw new InvalidArgumentError('Write a whole number and a unit, for example `30s`, `10m` or `2h`.');
}

function isDuration(text: string): text is Extract<Duration, string> {
  return /^\d+(ms|s|m|h|d)$/.test(text);
}

export function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1.');
}

export function collected(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Creates an object from assignments such as `name=text` and `name:=json`. */
export function assignments(texts: readonly string[], option: string): Record<string, unknown> {
  return Object.fromEntries(texts.map((text) => assignment(text, option)));
}

function assignment(text: string, option: string): readonly [name: string, value: unknown] {
  const [, name, isJson, value = ''] = /^([^=]+?)(:)?=(.*)$/s.exec(text) ?? [];
  if (name === undefined) {
    throw usageError(
      `\`${text}\` is not an assignment.`,
      option,
      'Write `name=text`, or `name:=json` for other values.',
    );
  }
  if (isJson === undefined) return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    throw usageError(`The value of \`${name}\` is not JSON.`, option, 'Write JSON after `:=`, or a string after `=`.');
  }
}
