import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { useAgents } from '../data/agent-names.js';
import type { Search } from '../data/search.js';
import { Button } from '../ui/button.js';
import { upTo99 } from '../ui/format-values.js';
import { Card, Empty, Page } from '../ui/page.js';
import { OldRows, SkeletonRows } from '../ui/skeleton.js';
import table from '../ui/table.module.css';
import { FilterBar } from './filter-bar.js';
import { rememberList } from './last-list.js';
import { type RunColumn, useRunColumns } from './run-columns.js';
import { activeFilters, isSearching, runQuery } from './run-filters.js';
import { type RunList, useRunList } from './run-list.js';
import { RunsTable } from './runs-table.js';
import styles from './runs.module.css';
import { ALL_SELECTED, chosenIds, NOTHING_SELECTED, toggleAll, toggleRun } from './selection.js';
import { SelectionBar } from './selection-bar.js';

/** Number of rows that fit on a large screen. The others are drawn after them, unless the page returns to its position. */
const FIRST_ROWS = 20;

export function RunsPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const query = runQuery(search);
  const list = useRunList(query);
  const [returns] = useState(!list.isPending);
  const { columns, menu } = useRunColumns();
  const agents = useAgents();
  const address = JSON.stringify(query);
  return (
    <Page title="Runs" busy={list.isPending} error={list.error} actions={<Link to="/runs/errors">Errors by kind</Link>}>
      <FilterBar search={search} agents={agents} error={list.error} columns={menu} />
      <div role="status" className={styles.fresh}>
        {list.fresh > 0 && (
          <Button onClick={list.reload}>
            {upTo99(list.fresh)} new {list.fresh === 1 ? 'run' : 'runs'}
          </Button>
        )}
      </div>
      {list.isPending && <SkeletonRows />}
      <OldRows isOld={list.isOld} />
      {!list.isPending && list.error === null && (
        <Results key={address} search={search} list={list} columns={columns} atOnce={returns} />
      )}
    </Page>
  );
}

interface ResultsProps {
  search: Search;
  list: RunList;
  columns: readonly RunColumn[];
  /** True to draw all rows at once. */
  atOnce: boolean;
}

/** The run list with its selection. When a filter changes, the selection is cleared. */
function Results({ search, list, columns, atOnce }: ResultsProps): ReactNode {
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  const runs = useDeferredValue(list.runs, atOnce ? list.runs : list.runs.slice(0, FIRST_ROWS));
  const shown = list.runs.map(({ id }) => id);
  const ids = shown.join(' ');
  useEffect(() => {
    rememberList({ search, ids: ids === '' ? [] : ids.split(' ') });
  }, [search, ids]);
  const isFiltered = activeFilters(search).length > 0;
  return (
    <>
      <Card flush>
        {list.runs.length > 0 && (
          <RunsTable
            columns={columns}
            runs={runs}
            selection={{
              ids: chosenIds(selection, shown),
              onToggle: (id, isRange) => setSelection((before) => toggleRun(before, id, shown, isRange)),
              onToggleAll: () => setSelection((before) => toggleAll(before, shown)),
            }}
          />
        )}
        {list.runs.length === 0 && (isFiltered ? <NothingMatches isPart={list.hasMore} /> : <NoRunYet />)}
        {list.hasMore && (
          <div className={table.more}>
            <Button onClick={list.readMore} refusal={list.isReadingMore ? 'The next page is being read.' : null}>
              {isSearching(search) ? 'Search older runs' : 'Show more'}
            </Button>
          </div>
        )}
      </Card>
      <SelectionBar
        selection={selection}
        search={search}
        onSelectAll={() => setSelection(ALL_SELECTED)}
        onClear={() => setSelection(NOTHING_SELECTED)}
      />
    </>
  );
}

/** `isPart`: a search has not read all runs yet. */
function NothingMatches({ isPart }: { isPart: boolean }): ReactNode {
  const navigate = useNavigate();
  return (
    <Empty title="No results">
      <p>
        {isPart ? 'None of the runs that were searched matches. Older runs may match.' : 'No run matches the filters.'}
      </p>
      <Button onClick={() => void navigate({ to: '/runs', search: {} })}>Show all runs</Button>
    </Empty>
  );
}

function NoRunYet(): ReactNode {
  const navigate = useNavigate();
  return (
    <Empty title="No run yet">
      <p>
        Start one on the page of an <Link to="/agents">agent</Link>, with the CLI, or with the API:
      </p>
      <pre tabIndex={0}>{`aas runs start <agent> --follow

curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"input": {}}' ${location.origin}/v1/agents/<agent>/runs`}</pre>
      <Button look="primary" onClick={() => void navigate({ to: '/agents' })}>
        Choose an agent
      </Button>
    </Empty>
  );
}
