import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../data/search.js';
import { actionLink, Button } from '../ui/button.js';
import { BulkButton } from './bulk-button.js';
import type { BulkRuns } from './bulk-order.js';
import { activeFilters, isSearching, withValues } from './run-filters.js';
import styles from './runs.module.css';
import type { Selection } from './selection.js';

/** Maximum number of run ids that the API accepts in the filter `id`. */
const MAX_IDS = 100;

export interface SelectionBarProps {
  selection: Selection;
  search: Search;
  onSelectAll: () => void;
  onClear: () => void;
}

export function SelectionBar({ selection, search, onSelectAll, onClear }: SelectionBarProps): ReactNode {
  const { ids, isAll = false } = selection;
  const isFiltered = activeFilters(search).length > 0;
  const runs: BulkRuns = isAll ? { search } : { ids: [...ids] };
  return (
    <div role="status" className={styles.selection}>
      {(isAll || ids.size > 0) && (
        <section className={styles.selectionBar} aria-label="Selection">
          <strong>{isAll ? `All ${isFiltered ? 'matching runs' : 'runs'}` : ids.size} selected</strong>
          <BulkButton action="cancel" runs={runs} />
          <BulkButton action="replay" runs={runs} />
          {!isAll && (
            <Button
              look="quiet"
              refusal={
                isSearching(search)
                  ? 'A bulk action cannot search for a text, time or cost. Select the runs in the list.'
                  : null
              }
              onClick={onSelectAll}
            >
              Select all {isFiltered ? 'that match' : 'runs'}
            </Button>
          )}
          {!isAll && ids.size === 2 && <Compare ids={ids} />}
          {!isAll && <ShowOnly ids={ids} />}
          <Button look="quiet" onClick={onClear}>
            Clear selection
          </Button>
        </section>
      )}
    </div>
  );
}

/** Links to the comparison of two runs. The ids of runs are in the order of their starts. */
function Compare({ ids }: { ids: ReadonlySet<string> }): ReactNode {
  const [before, after = ''] = [...ids].sort();
  return (
    <Link className={actionLink} to="/runs/$id" params={{ id: after }} search={{ compare: before }}>
      Compare
    </Link>
  );
}

function ShowOnly({ ids }: { ids: ReadonlySet<string> }): ReactNode {
  const navigate = useNavigate();
  return (
    <Button
      look="quiet"
      refusal={ids.size > MAX_IDS ? `The list can show at most ${MAX_IDS} selected runs.` : null}
      onClick={() => void navigate({ to: '/runs', search: withValues({}, 'id', [...ids]) })}
    >
      Show only these
    </Button>
  );
}
