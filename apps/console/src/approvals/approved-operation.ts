import type { Approval, AgentVersion } from '../data/api.js';

/** Parts of the agent definition that the approval page shows with the request. */
export interface ApprovedOperation {
  /** Titles of the request fields, by field name. */
  titles: ReadonlyMap<string, string>;
  /** All policies of the definition. If a person edits the request, the service evaluates them again. */
  policies: readonly Policy[];
}

export const NO_DETAILS: ApprovedOperation = { titles: new Map(), policies: [] };

export interface Policy {
  name: string;
  when: string;
  action: string;
}

interface Definition {
  policies?: readonly Partial<Policy>[];
  tools?: readonly { name?: string; operations?: readonly Operation[] }[];
}

interface Operation {
  name?: string;
  request?: { properties?: Record<string, { title?: unknown }> };
}

export function approvedOperation(definition: AgentVersion['definition'], tool: Approval['tool']): ApprovedOperation {
  const { policies = [], tools = [] } = definition as Definition;
  const operation = tools
    .flatMap(({ name, operations = [] }) => operations.map((each) => ({ ...each, fullName: `${name}.${each.name}` })))
    .find(({ fullName }) => fullName === tool);
  const titles = Object.entries(operation?.request?.properties ?? {}).flatMap(([name, { title }]) =>
    typeof title === 'string' ? [[name, title] as const] : [],
  );
  return {
    titles: new Map(titles),
    policies: policies.map(({ name = '', when = 'true', action = 'allow' }) => ({ name, when, action })),
  };
}
