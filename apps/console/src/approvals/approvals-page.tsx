import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AgentFilter } from '../runs/agent-filter.js';
import { RUN_MODES } from '../runs/run-filters.js';
import { nameOf, useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { wordOptions } from '../data/words.js';
import { Button } from '../ui/button.js';
import { Choice, labelOf } from '../ui/field.js';
import { Filters, PhoneChips } from '../ui/filters.js';
import { upTo99 } from '../ui/format-values.js';
import { Card, Empty, Page } from '../ui/page.js';
import { SkeletonRows } from '../ui/skeleton.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import { SavedViews } from '../views/saved-views.js';
import { ApprovalEntry } from './approval-entry.js';
import { ANY_MODE, type ApprovalQuery, approvalQuery, modeOf, SHOWN, shownOf } from './approval-query.js';
import styles from './approvals.module.css';
import { TestApprovals } from './next-approval.js';

const LIMIT = 50;
const COUNTED_MOST = 100;
const MODES = [...wordOptions('mode', RUN_MODES), { value: ANY_MODE, label: 'Any mode' }];

/**
 * List of approvals. Open approvals are sorted by deadline, earliest first. Closed approvals are sorted by creation
 * time, newest first.
 */
export function ApprovalsPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const query = approvalQuery(search);
  const list = usePagedList(['approvals', query], (page) => aas.approvals.list({ ...query, ...page, limit: LIMIT }));
  return (
    <Page title="Approvals" busy={list.isPending} error={list.error}>
      <div className={styles.filters}>
        <InboxFilters search={search} />
        <SavedViews screen="approvals" search={search} />
        {shownOf(search) === 'mine' || shownOf(search) === 'open' ? <OldestAge query={query} /> : null}
        {shownOf(search) === 'mine' && modeOf(search) === 'production' && <TestApprovals />}
      </div>
      {list.isPending && <SkeletonRows />}
      {!list.isPending && list.error === null && (
        <Card flush>
          {list.items.length === 0 ? (
            <Nothing search={search} />
          ) : (
            <ol className={styles.inbox} aria-label="Approvals">
              {list.items.map((approval) => (
                <ApprovalEntry key={approval.id} approval={approval} />
              ))}
            </ol>
          )}
          {list.hasMore && (
            <div className={table.more}>
              <Button onClick={list.readMore} refusal={list.isReadingMore ? 'The next page is being read.' : null}>
                Show more
              </Button>
            </div>
          )}
        </Card>
      )}
    </Page>
  );
}

function InboxFilters({ search }: { search: Search }): ReactNode {
  const navigate = useNavigate();
  const [shown, mode, agent] = [shownOf(search), modeOf(search), one(search.agent)];
  const agents = useAgents();
  const options = SHOWN.some(({ value }) => value === shown) ? SHOWN : [...SHOWN, { value: shown }];
  const change = (changed: Search): void => void navigate({ to: '/approvals', search: { ...search, ...changed } });
  const show = (value: string): void =>
    change(value === 'mine' ? { mine: 'true', status: undefined } : { mine: undefined, status: value });
  const set = [
    shown !== 'mine' && { name: 'status', text: labelOf(options, shown), onRemove: () => show('mine') },
    agent && { name: 'agent', text: nameOf(agent, agents), onRemove: () => change({ agent: undefined }) },
    mode !== 'production' && { name: 'mode', text: labelOf(MODES, mode), onRemove: () => change({ mode: undefined }) },
  ].filter((filter) => typeof filter === 'object');
  return (
    <>
      <Filters set={set.length}>
        <Choice compact label="Status" value={shown} onChange={show} options={options} />
        <AgentFilter compact value={agent ?? ''} onChange={(value) => change({ agent: value })} />
        <Choice compact label="Mode" value={mode} onChange={(value) => change({ mode: value })} options={MODES} />
      </Filters>
      <PhoneChips filters={set} />
    </>
  );
}

function OldestAge({ query }: { query: ApprovalQuery }): ReactNode {
  const oldest: ApprovalQuery = { ...query, sort: 'created_at', order: 'asc', limit: 1 };
  const { data } = useQuery({ queryKey: ['approvals', 'oldest', oldest], queryFn: () => aas.approvals.list(oldest) });
  const [first] = data?.data ?? [];
  if (first === undefined) return null;
  return (
    <p className={styles.why}>
      The oldest was opened <Time at={first.opened_at} />
    </p>
  );
}

/** Text of an empty list. Says whether no approvals are open at all, or only none for this person. */
function Nothing({ search }: { search: Search }): ReactNode {
  const shown = shownOf(search);
  const query = approvalQuery({ status: 'open' });
  const { data } = useQuery({
    queryKey: ['approvals', 'others', query],
    queryFn: () => aas.approvals.list({ ...query, limit: COUNTED_MOST }),
    enabled: shown === 'mine',
  });
  const open = data?.data.length ?? 0;
  if (search.agent !== undefined || search.mode !== undefined || (shown !== 'mine' && shown !== 'open'))
    return (
      <Empty title="No results">
        <p>No approval matches the filters.</p>
      </Empty>
    );
  if (shown === 'mine' && open > 0)
    return (
      <Empty title="Nothing waits for you">
        <p>
          {open === 1 ? '1 approval waits' : `${upTo99(open)} approvals wait`} for other people.{' '}
          <Link to="/approvals" search={{ status: 'open' }}>
            Show all open approvals
          </Link>
        </p>
      </Empty>
    );
  if (shown === 'mine' && data === undefined) return <SkeletonRows />;
  return (
    <Empty title="Nothing waits for anyone">
      <p>
        A policy with the action <code>require_approval</code> makes a run wait for an approval. The requests for
        approval appear here.{' '}
        <Link to="/approvals" search={{ status: 'approved' }}>
          Show approved requests
        </Link>
      </p>
    </Empty>
  );
}
