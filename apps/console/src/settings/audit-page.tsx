import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { aas, type AuditEvent } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { useCaller, useRefusal } from '../data/session.js';
import { choices, PERIODS } from '../runs/run-filters.js';
import { Button } from '../ui/button.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Choice, TextField } from '../ui/field.js';
import { Empty } from '../ui/page.js';
import { Time } from '../ui/time.js';
import { ACTIONS, auditQuery, targetPath } from './audit-filters.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

export function AuditPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const query = auditQuery(search);
  const refusal = useRefusal('audit:read');
  const mayList = useCaller() !== undefined && refusal === null;
  const list = usePagedList(['audit-events', query], (page) => aas.auditEvents.list({ ...query, ...page, limit: 50 }), {
    enabled: mayList,
  });
  const isFiltered = Object.keys(query).length > 0;
  return (
    <SettingsFrame title="Audit log" busy={list.isPending} error={list.error} refusal={refusal}>
      <Filters search={search} isFiltered={isFiltered} />
      <PagedTable
        label="Audit log"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={<Empty title={isFiltered ? 'No results' : 'No events yet'} />}
      />
    </SettingsFrame>
  );
}

function Filters({ search, isFiltered }: { search: Search; isFiltered: boolean }): ReactNode {
  const navigate = useNavigate();
  const change = (next: Search): void => void navigate({ to: '/settings/audit', search: next });
  const set = (name: string) => (value: string) => change({ ...search, [name]: value === '' ? undefined : value });
  const current = (name: string): string => one(search[name]) ?? '';
  return (
    <div className={styles.filters}>
      <Choice
        compact
        label="Action"
        value={current('action')}
        onChange={set('action')}
        options={choices(ACTIONS, current('action'), 'Any action')}
      />
      <Choice
        compact
        label="Period"
        value={current('since')}
        onChange={set('since')}
        options={choices(PERIODS, current('since'), 'Any time')}
      />
      <ActorFilter key={current('actor')} actor={current('actor')} onChange={set('actor')} />
      {isFiltered && (
        <Button look="quiet" onClick={() => change({})}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** Text field that filters by actor. The filter applies when the person presses Enter. */
function ActorFilter({ actor, onChange }: { actor: string; onChange: (actor: string) => void }): ReactNode {
  const [text, setText] = useState(actor);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onChange(text.trim());
  };
  return (
    <form className={styles.actor} onSubmit={submit}>
      <TextField compact label="Actor" placeholder="E-mail of the actor" value={text} onChange={setText} />
      <Button type="submit">Filter</Button>
    </form>
  );
}

const COLUMNS: readonly Column<AuditEvent>[] = [
  { name: 'Time', cell: ({ created_at: at }) => <Time at={at} /> },
  { name: 'Actor', kind: 'optional', cell: ({ actor }) => <bdi className={styles.breakable}>{actor}</bdi> },
  { name: 'Action', cell: (event) => <Action event={event} /> },
  { name: 'Target', cell: (event) => <Target event={event} /> },
  { name: 'Details', kind: 'optional', cell: (event) => <Details event={event} /> },
];

function Action({ event }: { event: AuditEvent }): ReactNode {
  const isRefused = event.action.endsWith('_refused');
  return (
    <>
      <span className={isRefused ? styles.alarm : undefined}>{event.action}</span>
      <bdi className={styles.narrowActor}>{event.actor}</bdi>
    </>
  );
}

/**
 * Shows the target of an event, as a link if the console has a page for the target. The text of the target is not
 * trusted, because people and programs choose it. It never becomes part of the markup.
 */
function Target({ event }: { event: AuditEvent }): ReactNode {
  const path = targetPath(event);
  const text = <bdi className={styles.breakable}>{event.target ?? '–'}</bdi>;
  if (path === undefined) return text;
  return (
    <Link to="/$" params={{ _splat: path.slice(1) }}>
      {text}
    </Link>
  );
}

function Details({ event }: { event: AuditEvent }): ReactNode {
  const names = Object.keys(event.detail);
  if (names.length === 0) return '–';
  return (
    <details className={styles.disclosure}>
      <summary>{names.join(', ')}</summary>
      <pre dir="auto">{JSON.stringify(event.detail, null, 2)}</pre>
    </details>
  );
}
