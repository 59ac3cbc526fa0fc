import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { Fragment, type ReactNode, type SubmitEvent, useState } from 'react';
import { useMutation, useQueries } from '@tanstack/react-query';
import { approvalTitle, shownText } from '../approvals/approval-view.js';
import { useAgents } from '../data/agent-names.js';
import { aas, type AuditEvent } from '../data/api.js';
import { placeOf } from '../data/id-places.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { useCaller, useRefusal } from '../data/session.js';
import { choices, periodLabel, PERIODS } from '../runs/run-filters.js';
import { Button } from '../ui/button.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { downloadCsv } from '../ui/csv.js';
import { ComboField } from '../ui/combo-box.js';
import { Choice, labelOf, TextField } from '../ui/field.js';
import { Filters, PhoneChips, type SetFilter } from '../ui/filters.js';
import { formatCount } from '../ui/format-values.js';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Time } from '../ui/time.js';
import { auditCsv, MAX_EXPORTED } from './audit-csv.js';
import { actionWords, auditFacts, targetName, withNames } from './audit-facts.js';
import { ACTION_WORDS, ACTIONS, type AuditQuery, auditQuery, targetPath } from './audit-filters.js';
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
  const names = useNames(mayList);
  const isFiltered = Object.keys(query).length > 0;
  return (
    <SettingsFrame
      title="Audit log"
      busy={list.isPending}
      error={list.error}
      refusal={refusal}
      actions={<Export query={query} refusal={refusal} />}
    >
      <AuditFilters search={search} isFiltered={isFiltered} />
      <PagedTable
        label="Audit log"
        columns={columns(names)}
        rowKey={({ id }) => id}
        list={list}
        empty={<Empty title={isFiltered ? 'No results' : 'No events yet'} />}
      />
    </SettingsFrame>
  );
}

/** Downloads all events that match the filters, newest first. */
function Export({ query, refusal }: { query: AuditQuery; refusal: string | null }): ReactNode {
  const [count, setCount] = useState(0);
  const exporting = useMutation({
    mutationFn: async () => {
      const events: AuditEvent[] = [];
      for await (const event of aas.auditEvents.list({ ...query, limit: 100 })) {
        events.push(event);
        if (events.length % 100 === 0) setCount(events.length);
        if (events.length === MAX_EXPORTED) break;
      }
      downloadCsv(auditCsv(events), 'audit-log.csv');
    },
    onSettled: () => setCount(0),
  });
  return (
    <>
      <Button
        refusal={refusal ?? (exporting.isPending ? 'The events are being read.' : null)}
        onClick={() => exporting.mutate()}
      >
        <Download size={14} aria-hidden />
        {exporting.isPending ? `Reading, ${formatCount(count)} so far` : 'Download CSV'}
      </Button>
      <ProblemAlert error={exporting.error} />
    </>
  );
}

function AuditFilters({ search, isFiltered }: { search: Search; isFiltered: boolean }): ReactNode {
  const navigate = useNavigate();
  const change = (next: Search): void => void navigate({ to: '/settings/audit', search: next });
  const set = (name: string) => (value: string) => change({ ...search, [name]: value === '' ? undefined : value });
  const current = (name: string): string => one(search[name]) ?? '';
  const options = {
    action: ACTIONS.map((action) => ({ value: action, label: ACTION_WORDS[action] })),
    since: choices(PERIODS, current('since'), 'Any time', periodLabel),
  };
  const chip = (parameter: string, name: string, text: string): SetFilter[] =>
    current(parameter) === '' ? [] : [{ name, text, onRemove: () => set(parameter)('') }];
  const shown = [
    ...chip('action', 'action', labelOf(options.action, current('action'))),
    ...chip('since', 'period', labelOf(options.since, current('since'))),
    ...chip('actor', 'actor', current('actor')),
  ];
  return (
    <div className={styles.filters}>
      <Filters set={shown.length}>
        <ComboField
          compact
          label="Action"
          empty="Any action"
          value={current('action')}
          onChange={set('action')}
          options={options.action}
        />
        <Choice compact label="Period" value={current('since')} onChange={set('since')} options={options.since} />
        <ActorFilter key={current('actor')} actor={current('actor')} onChange={set('actor')} />
      </Filters>
      {isFiltered && (
        <Button look="quiet" onClick={() => change({})}>
          Clear filters
        </Button>
      )}
      <PhoneChips filters={shown} />
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

type Names = ReadonlyMap<string, string>;

const KNOWN = { limit: 100 } as const;

/** Reads the names of the targets. A target that is not among the first 100 of its kind has the name in its event. */
function useNames(enabled: boolean): Names {
  const agents = useAgents();
  const named = (kind: string, queryFn: () => Promise<[id: string, name: string][]>) => ({
    queryKey: ['audit-names', kind],
    queryFn,
    enabled,
  });
  const lists = useQueries({
    queries: [
      named('approvals', async () =>
        (await aas.approvals.list(KNOWN)).data.map((each) => [each.id, approvalTitle(each)]),
      ),
      named('bases', async () => (await aas.knowledgeBases.list(KNOWN)).data.map(({ id, name }) => [id, name])),
      named('connections', async () => (await aas.connections.list(KNOWN)).data.map(({ id, name }) => [id, name])),
      named('endpoints', async () => (await aas.webhookEndpoints.list(KNOWN)).data.map(({ id, url }) => [id, url])),
      named('keys', async () => (await aas.apiKeys.list(KNOWN)).data.map(({ id, name }) => [id, name])),
    ],
  });
  return new Map([...agents.map(({ id, name }) => [id, name] as const), ...lists.flatMap(({ data = [] }) => data)]);
}

function columns(names: Names): readonly Column<AuditEvent>[] {
  return [
    { name: 'Time', cell: ({ created_at: at }) => <Time at={at} /> },
    {
      name: 'Actor',
      kind: 'optional',
      cell: ({ actor }) => (
        <bdi className={styles.address} title={actor}>
          {actor}
        </bdi>
      ),
    },
    { name: 'Action', cell: (event) => <Sentence event={event} names={names} /> },
    { name: 'Details', kind: 'optional', cell: (event) => <Details event={event} names={names} /> },
  ];
}

interface EventProps {
  event: AuditEvent;
  names: Names;
}

function Sentence({ event, names }: EventProps): ReactNode {
  const isRefused = event.action.endsWith('_refused');
  return (
    <>
      <span title={event.action} className={isRefused ? styles.alarm : undefined}>
        {actionWords(event)}
      </span>{' '}
      <Target event={event} names={names} />
      <bdi className={styles.narrowActor}>{event.actor}</bdi>
    </>
  );
}

/**
 * Shows the target of an event, as a link if the console has a page for the target. The text of the target is not
 * trusted, because people and programs choose it. It never becomes part of the markup.
 */
function Target({ event, names }: EventProps): ReactNode {
  const path = targetPath(event);
  const name = targetName(event, names);
  if (name === null) return null;
  const text = (
    <bdi className={styles.target} title={event.target ?? undefined}>
      {name}
    </bdi>
  );
  if (path === undefined) return text;
  return (
    <Link to="/$" params={{ _splat: path.slice(1) }} className={styles.inText}>
      {text}
    </Link>
  );
}

function Details({ event, names }: EventProps): ReactNode {
  const { changes, others } = auditFacts(event, names);
  const isShort = others.every(([, value]) => typeof value !== 'object' || value === null);
  if (changes.length === 0 && others.length === 0) return '–';
  return (
    <div className={styles.breakable} dir="auto">
      {changes.map(({ name, before, after }) => (
        <div key={`${name} ${String(before ?? after)}`}>
          {name}: {before !== undefined && <del>{withNames(shownText(before), names)}</del>}{' '}
          {after !== undefined && <ins>{withNames(shownText(after), names)}</ins>}
        </div>
      ))}
      {isShort && others.length <= MAX_FACTS ? (
        others.map(([name, value], index) => (
          <Fragment key={name}>
            {index > 0 && ', '}
            <Fact name={name.replaceAll('_', ' ')} value={String(value)} names={names} />
          </Fragment>
        ))
      ) : (
        <details className={styles.disclosure}>
          <summary>{others.map(([name]) => name.replaceAll('_', ' ')).join(', ')}</summary>
          <pre>{JSON.stringify(Object.fromEntries(others), null, 2)}</pre>
        </details>
      )}
    </div>
  );
}

/** An id becomes a name, or a link to its page. */
function Fact({ name, value, names }: { name: string; value: string; names: Names }): ReactNode {
  const path = placeOf(value)?.path;
  if (path === undefined) return `${name}: ${withNames(value, names)}`;
  return (
    <Link to="/$" params={{ _splat: path.slice(1) }} title={value} className={styles.inText}>
      {names.get(value) ?? name}
    </Link>
  );
}

/** Details with more facts, or with nested ones, are folded. */
const MAX_FACTS = 3;
