import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { word } from '../data/words.js';
import { BulkButton } from '../runs/bulk-button.js';
import { MAX_CHOSEN } from '../runs/bulk-order.js';
import { Choice } from '../ui/field.js';
import { Card, Empty, Page } from '../ui/page.js';
import { AlertBox, codeRemedy } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { useAllPages } from '../data/paged-list.js';
import { type BulkAction, type BulkActionPages, useBulkAction, useResultRuns } from './bulk-query.js';
import { reasonsOf, repeatableRuns } from './bulk-reasons.js';
import { BulkResults, refusalText } from './bulk-results.js';
import styles from './bulk.module.css';

const TITLES = { cancel: 'Bulk cancellation', replay: 'Bulk replay' } as const;
const DONE = { cancel: 'cancelled', replay: 'replayed' } as const;

export function BulkPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const pages = useBulkAction(id);
  const { action, error, isPending } = pages;
  const runs = useResultRuns(pages.results);
  return (
    <Page
      title={action === undefined ? 'Bulk action' : `${TITLES[action.action]} ${id}`}
      heading={action && TITLES[action.action]}
      above={
        <>
          <Link to="/runs">Runs</Link> / <code>{id}</code>
        </>
      }
      busy={isPending}
      error={error}
      facts={action && <Status value={action.status} />}
    >
      {action && (
        <>
          <Progress key={id} action={action}>
            {action.action === 'replay' && <Replays pages={pages} runs={runs} />}
            <Rejections action={action.action} results={pages.results} />
          </Progress>
          <Results pages={pages} action={action} runs={runs} />
        </>
      )}
    </Page>
  );
}

interface ProgressProps {
  action: BulkAction;
  children: ReactNode;
}

function Progress({ action: { action, status, counts }, children }: ProgressProps): ReactNode {
  const { total, succeeded, failed } = counts;
  const ended = succeeded + failed;
  return (
    <section className={styles.progress} aria-label="Progress">
      <progress max={Math.max(total, 1)} value={total === 0 ? 1 : ended} aria-label="Runs with a result" />
      <p role="status">
        <strong>
          {ended} of {total}
        </strong>{' '}
        {total === 1 ? 'run has' : 'runs have'} a result: {succeeded} {DONE[action]}, {failed} rejected, {total - ended}{' '}
        remaining.
        {status === 'queued' && ' No worker has begun yet.'}
      </p>
      {children}
      {status !== 'completed' && <p className={styles.quiet}>The bulk action continues if you leave this page.</p>}
    </section>
  );
}

interface RejectionsProps {
  action: BulkAction['action'];
  results: BulkActionPages['results'];
}

/** Groups the rejections that have been read by their reasons, and offers to repeat those that may succeed now. */
function Rejections({ action, results }: RejectionsProps): ReactNode {
  const reasons = reasonsOf(results);
  const ids = repeatableRuns(results).slice(0, MAX_CHOSEN);
  if (reasons.length === 0) return null;
  return (
    <>
      <ul className={styles.reasons} aria-label="Reasons of the rejections">
        {reasons.map(([code, count]) => (
          <li key={code} title={code}>
            <strong>{count}</strong> {refusalText(code)} <span className={styles.quiet}>{codeRemedy(code)}</span>
          </li>
        ))}
      </ul>
      {ids.length > 0 && (
        <div>
          <BulkButton action={action} runs={{ ids }} name={`Retry rejected runs (${ids.length})`} />
        </div>
      )}
    </>
  );
}

interface ReplaysProps {
  pages: BulkActionPages;
  runs: ReadonlyMap<string, Run>;
}

/** Counts the statuses of the replays that have been read. */
function Replays({ pages: { results, hasMore }, runs }: ReplaysProps): ReactNode {
  const counts = new Map([
    ['succeeded', 0],
    ['failed', 0],
  ]);
  const replays = results.flatMap(({ replay = '' }) => runs.get(replay) ?? []);
  if (replays.length === 0) return null;
  for (const { status } of replays) counts.set(status, (counts.get(status) ?? 0) + 1);
  const texts = [...counts].map(([status, count]) => `${count} ${word('status', status)}`);
  return (
    <p role="status">
      {hasMore ? `The first ${replays.length} replays` : 'Replays'}: {texts.join(', ')}.
    </p>
  );
}

/** Maximum number of results that are all read to group the rejections. Of more, those that are shown are grouped. */
const COUNTED_MOST = 2_000;

/** The status of a result, and its name on this page, where `failed` would read as the status of a run. */
const FILTERS = [['failed', 'Only rejected']] as const;

function Results({ pages, action, runs }: ReplaysProps & { action: BulkAction }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const only = one(search.only) ?? '';
  const isKnown = only === '' || FILTERS.some(([value]) => value === only);
  const isFailedOnly = only === 'failed';
  const isCounted = action.counts.failed > 0 && action.counts.total <= COUNTED_MOST;
  useAllPages(pages, (isFailedOnly || isCounted) && action.status === 'completed');
  const shown = isFailedOnly ? pages.results.filter(({ status }) => status === 'failed') : pages.results;
  const show = (value: string): void =>
    void navigate({
      to: '/runs/bulk/$id',
      params: { id: action.id },
      search: { ...search, only: value === '' ? undefined : value },
      resetScroll: false,
    });
  return (
    <Card
      title="Results"
      flush
      actions={
        <Choice
          compact
          label="Show"
          value={only}
          onChange={show}
          options={[
            { value: '', label: 'All results' },
            ...FILTERS.map(([value, label]) => ({ value, label })),
            ...(isKnown ? [] : [{ value: only }]),
          ]}
        />
      }
    >
      {!isKnown && (
        <AlertBox
          title="Unknown filter"
          detail={`The filter \`only\` has the unknown value ${JSON.stringify(only)}.`}
          remedy={`Choose one of ${FILTERS.map(([value]) => value).join(', ')}.`}
        />
      )}
      {isKnown && shown.length === 0 && <Nothing pages={pages} isFiltered={isFailedOnly} />}
      {isKnown && shown.length > 0 && <BulkResults action={action.action} results={shown} pages={pages} runs={runs} />}
    </Card>
  );
}

function Nothing({ pages, isFiltered }: { pages: BulkActionPages; isFiltered: boolean }): ReactNode {
  if (pages.hasMore && pages.action?.status === 'completed') return <Empty title="Reading the results …" />;
  return (
    <Empty title="No results">
      <p>{isFiltered ? 'No run was rejected.' : 'No run matched the filters when the bulk action was created.'}</p>
    </Empty>
  );
}
