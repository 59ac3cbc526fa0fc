import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { aas, type AuditEvent } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { useCaller, useRefusal } from '../data/session.js';
import { choices, periodLabel, PERIODS } from '../runs/run-filters.js';
import { Button } from '../ui/button.js';
import { PagedTable } from '../ui/data-table.js';
import { downloadCsv } from '../ui/csv.js';
import { ComboField } from '../ui/combo-box.js';
import { Choice, labelOf, TextField } from '../ui/field.js';
import { Filters, PhoneChips, type SetFilter } from '../ui/filters.js';
import { formatCount, formatLongDay } from '../ui/format-values.js';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { auditCsv, MAX_EXPORTED } from './audit-csv.js';
import { auditColumns } from './audit-event.js';
import { ACTION_WORDS, ACTIONS, type AuditQuery, auditQuery } from './audit-filters.js';
import { useAuditNames } from './audit-names.js';
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
  const names = useAuditNames(list.items, mayList);
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
        columns={auditColumns(names)}
        heading={({ created_at: at }) => formatLongDay(at)}
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
