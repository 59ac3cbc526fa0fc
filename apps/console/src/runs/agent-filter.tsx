import { lazy, type ReactNode, Suspense } from 'react';
import { useKnownAgents } from '../data/known-things.js';
import type { ComboFieldProps } from '../ui/combo-box.js';
import styles from './runs.module.css';

const ComboField = lazy(() =>
  import('../ui/combo-box.js').then(({ ComboField: component }) => ({ default: component })),
);

export type AgentFilterProps = Pick<ComboFieldProps, 'value' | 'compact'> & {
  onChange: (agent: string | undefined) => void;
};

/** Filter of a list by one agent. `value` is the id of the agent. */
export function AgentFilter({ value, onChange, compact }: AgentFilterProps): ReactNode {
  return (
    <Suspense fallback={<span className={styles.agent} />}>
      <ComboField
        label="Agent"
        empty="Any agent"
        compact={compact}
        value={value}
        onChange={(agent) => onChange(agent === '' ? undefined : agent)}
        {...useKnownAgents()}
      />
    </Suspense>
  );
}
