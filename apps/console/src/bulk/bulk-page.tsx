import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { one, type Search } from '../data/search.js';
import { Choice } from '../ui/field.js';
import { Card, Empty, Page } from '../ui/page.js';
import { AlertBox } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { type BulkAction, type BulkActionPages, useAllPages, useBulkAction } from './bulk-query.js';
import { BulkResults } from './bulk-results.js';
import styles from './bulk.module.css';

const TITLES = { cancel: 'Bulk cancellation', replay: 'Bulk replay' } as const;
const DONE = { cancel: 'cancelled', replay: 'replayed' } as const;

export function BulkPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const pages = useBulkAction(id);
  const { action, error, isPending } = pages;
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
          <Progress action={action} />
          <Results pages={pages} action={action} />
        </>
      )}
    </Page>
  );
}

function Progress({ action: { action, status, counts } }: { action: BulkAction }): ReactNode {
  const { total, succeeded, failed } = counts;
  const ended = succeeded + failed;
  return (
    <section className={styles.progress} aria-label="Progress">
      <progress max={Math.max(total, 1)} value={total === 0 ? 1 : ended} aria-label="Runs with a result" />
      <p role="status">
        <strong>
          {ended} of {total}
        </strong>{' '}
        {total === 1 ? 'run has' : 'runs have'} a result: {succeeded} {DONE[action]}, {failed} rejected.
        {status === 'queued' && ' No worker has begun yet.'}
      </p>
      {status !== 'completed' && <p className={styles.quiet}>The bulk action continues if you leave this page.</p>}
    </section>
  );
}

const FILTERS = ['failed'] as const;

function Results({ pages, action }: { pages: BulkActionPages; action: BulkAction }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const only = one(search.only) ?? '';
  const isKnown = only === '' || FILTERS.some((filter) => filter === only);
  const isFailedOnly = only === 'failed';
  useAllPages(pages, isFailedOnly && action.status === 'completed');
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
            ...FILTERS.map((value) => ({ value, label: `Only ${value}` })),
            ...(isKnown ? [] : [{ value: only }]),
          ]}
        />
      }
    >
      {!isKnown && (
        <AlertBox
          title="Unknown filter"
          detail={`The filter \`only\` has the unknown value ${JSON.stringify(only)}.`}
          remedy={`Choose one of ${FILTERS.join(', ')}.`}
        />
      )}
      {isKnown && shown.length === 0 && <Nothing pages={pages} isFiltered={isFailedOnly} />}
      {isKnown && shown.length > 0 && <BulkResults action={action.action} results={shown} pages={pages} />}
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
