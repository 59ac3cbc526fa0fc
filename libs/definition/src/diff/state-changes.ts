import { DefinitionNode } from '../contract/definition-node.js';
import type { StateTool } from '../model/compiled-tool.js';
import { usesState } from '../tools/state.js';
import {
  type CapabilityChange,
  change,
  type ComparedDefinition,
  type Comparison,
  matchedChanges,
  placeOf,
} from './capability-change.js';

export function stateChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([stateTools(before), stateTools(after)], {
    gained: (name, { scope }) => {
      const severity = scope === 'agent' ? 'info' : 'warning';
      return change('state_gained', severity, `Keeps values between runs ${OWNER[scope]}.`, placeIn(after, name), [
        null,
        scope,
      ]);
    },
    lost: (name, { scope }) =>
      change('state_lost', 'info', `No longer keeps values between runs ${OWNER[scope]}.`, placeIn(before, name), [
        scope,
        null,
      ]),
    kept: (name, one, other) => {
      if (one.scope === other.scope) return null;
      const message = `The tool ${name} keeps values between runs ${OWNER[other.scope]}, no longer ${OWNER[one.scope]}.`;
      return change('state_changed', 'warning', message, placeIn(after, name), [one.scope, other.scope]);
    },
  });
}

const OWNER = {
  agent: 'in the state of the agent',
  workspace: 'in the state of the workspace, which all agents share',
};

/** Returns the state tools, by name. The built-in tool is included only if the definition uses it. */
function stateTools({ raw, compiled }: ComparedDefinition): ReadonlyMap<string, StateTool> {
  const found = new Map<string, StateTool>();
  for (const [name, tool] of compiled.tools) {
    if (tool.kind !== 'state') continue;
    if (!tool.isBuiltIn || usesState(new DefinitionNode(raw, []))) found.set(name, tool);
  }
  return found;
}

function placeIn({ raw, compiled }: ComparedDefinition, name: string): readonly (string | number)[] {
  const tool = compiled.tools.get(name);
  return tool?.kind === 'state' && tool.isBuiltIn ? ['steps'] : placeOf(raw, 'tools', 'name', name);
}
