import type { ReactNode } from 'react';
import type { Agent } from '../data/api.js';
import { formatInstant } from '../ui/format-values.js';
import styles from './agents.module.css';
import { budgetText, reservedText, WARNING_SHARE } from './budget-text.js';

export function BudgetBar({ budget }: { budget: NonNullable<Agent['budget']> }): ReactNode {
  const limit = Number(budget.per_day);
  const reserved = reservedText(budget);
  return (
    <span className={styles.budget} title={`Begins again at ${formatInstant(budget.resets_at)}`}>
      <meter
        min={0}
        max={limit}
        low={WARNING_SHARE * limit}
        high={0.999 * limit}
        optimum={0}
        value={Math.min(Number(budget.spent_today), limit)}
        aria-label="Spent of the daily budget"
      />
      {budgetText(budget)} today
      {reserved !== undefined && <span>{reserved}</span>}
    </span>
  );
}
