import type { ReactNode } from 'react';
import { useKnownAgents } from '../data/known-things.js';
import { ComboField, type ComboFieldProps } from '../ui/combo-box.js';

export type AgentFilterProps = Pick<ComboFieldProps, 'value' | 'compact'> & {
  onChange: (agent: string | undefined) => void;
};

/** Filter of a list by one agent. `value` is the id of the agent. */
export function AgentFilter({ value, onChange, compact }: AgentFilterProps): ReactNode {
  return (
    <ComboField
      label="Agent"
      empty="Any agent"
      compact={compact}
      value={value}
      onChange={(agent) => onChange(agent === '' ? undefined : agent)}
      {...useKnownAgents()}
    />
  );
}
