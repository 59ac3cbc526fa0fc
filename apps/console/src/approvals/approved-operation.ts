import type { Approval, AgentVersion } from '../data/api.js';
import { labelText } from '../data/texts.js';
import { type FileRule, fileRule } from '../files/file-rule.js';

/** Parts of the agent definition that the approval page shows with the request. */
export interface ApprovedOperation {
  /** First sentence of its description, if it has one. */
  summary?: string;
  /** Titles of the request fields, by field name. */
  titles: ReadonlyMap<string, string>;
  /** What the request fields that are files allow, by field name. */
  rules: ReadonlyMap<string, FileRule>;
  /** All policies of the definition. If a person edits the request, the service evaluates them again. */
  policies: readonly Policy[];
}

export const NO_DETAILS: ApprovedOperation = { titles: new Map(), rules: new Map(), policies: [] };

export interface Policy {
  name: string;
  when: string;
  action: string;
  message?: string;
}

interface Definition {
  policies?: readonly Partial<Policy>[];
  tools?: readonly { name?: string; operations?: readonly Operation[] }[];
}

interface Operation {
  name?: string;
  description?: string;
  request?: { properties?: Record<string, { title?: unknown; items?: unknown }> };
}

export function approvedOperation(definition: AgentVersion['definition'], tool: Approval['tool']): ApprovedOperation {
  const { policies = [], tools = [] } = definition as Definition;
  const operation = tools
    .flatMap(({ name, operations = [] }) => operations.map((each) => ({ ...each, fullName: `${name}.${each.name}` })))
    .find(({ fullName }) => fullName === tool);
  const members = Object.entries(operation?.request?.properties ?? {});
  const titles = members.flatMap(([name, { title }]) => (typeof title === 'string' ? [[name, title] as const] : []));
  const rules = members.flatMap(([name, schema]) => {
    const rule = fileRule(schema) ?? fileRule(schema.items);
    return rule ? [[name, rule] as const] : [];
  });
  const summary = /^[^.\n]+/u.exec(operation?.description ?? '')?.[0];
  return {
    ...(summary !== undefined && { summary }),
    titles: new Map(titles),
    rules: new Map(rules),
    policies: policies.map(({ name = '', when = 'true', action = 'allow', message }) => ({
      name,
      when,
      action,
      ...(message !== undefined && { message }),
    })),
  };
}

/** Returns the title of a field of the request, or its name in words. */
export function fieldLabel({ titles }: ApprovedOperation, name: string): string {
  return titles.get(name) ?? labelText(name);
}
