import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { withValues } from './run-filters.js';
import styles from './runs.module.css';

/** Most ids that the list takes as a filter. */
const MOST_IDS = 100;

/** What can be done with the chosen runs. */
export function SelectionBar({ ids, onClear }: { ids: ReadonlySet<string>; onClear: () => void }): ReactNode {
  const navigate = useNavigate();
  const tooMany = ids.size > MOST_IDS ? `You can show at most ${MOST_IDS} selected runs.` : null;
  return (
    <div role="status" className={styles.selection}>
      {ids.size > 0 && (
        <section className={styles.selectionBar} aria-label="Selection">
          <strong>{ids.size} selected</strong>
          <Button
            look="quiet"
            refusal={tooMany}
            onClick={() => void navigate({ to: '/runs', search: withValues({}, 'id', [...ids]) })}
          >
            Show only these
          </Button>
          <Button look="quiet" onClick={onClear}>
            Clear selection
          </Button>
        </section>
      )}
    </div>
  );
}
