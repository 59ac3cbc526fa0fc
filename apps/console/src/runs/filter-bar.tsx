import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import { AgentFilter } from './agent-filter.js';
import { aas, type Agent } from '../data/api.js';
import type { Search } from '../data/search.js';
import { Button } from '../ui/button.js';
import { CopyButton } from '../ui/copy-button.js';
import { Choice, TextField } from '../ui/field.js';
import { Chip, Filters } from '../ui/filters.js';
import { MenuButton, MenuItem } from '../ui/menu.js';
import { ProblemAlert } from '../ui/problem.js';
import { TRIGGER_TYPES, word } from '../data/words.js';
import { SavedViews } from '../views/saved-views.js';
import { FilterFormPopover, type OpenForm } from './filter-form.js';
import {
  type ActiveFilter,
  activeFilters,
  choices,
  FILTER_FORM_NAMES,
  FILTER_FORMS,
  filterText,
  formOf,
  periodLabel,
  PERIODS,
  RUN_MODES,
  RUN_STATUSES,
  valuesOf,
  withoutFilter,
} from './run-filters.js';
import styles from './runs.module.css';

export interface FilterBarProps {
  search: Search;
  agents: readonly Agent[];
  /** Error of the last request for the run list. If a filter caused the error, it is shown at this filter. */
  error: unknown;
  /** Menu of the columns of the list. */
  columns: ReactNode;
}

/**
 * Filters of the run list: select fields for frequent filters, a menu for the others, and a chip for each set filter.
 * The menu and the chips open the form of the filter.
 */
export function FilterBar({ search, agents, error, columns }: FilterBarProps): ReactNode {
  const navigate = useNavigate();
  const [open, setOpen] = useState<OpenForm>();
  const more = useRef<HTMLDivElement>(null);
  const change = (next: Search): void => void navigate({ to: '/runs', search: next });
  const select = (name: string, label: string, values: readonly string[], labelOf: (value: string) => string) => {
    const current = valuesOf(search, name).join(',');
    const onChange = (value: string): void => change({ ...search, [name]: value === '' ? undefined : value });
    const options = choices(values, current, `Any ${label.toLowerCase()}`, labelOf);
    return <Choice compact label={label} value={current} onChange={onChange} options={options} />;
  };
  return (
    <>
      <TextSearch key={search.q?.toString()} search={search} onChange={change} />
      <div className={styles.filters}>
        <Filters set={activeFilters(search).length}>
          {select('status', 'Status', RUN_STATUSES, (value) => word('status', value))}
          <AgentFilter
            compact
            value={valuesOf(search, 'agent').join(',')}
            onChange={(agent) => change({ ...search, agent })}
          />
          {select('mode', 'Mode', RUN_MODES, (value) => word('mode', value))}
          {select('trigger_type', 'Trigger', TRIGGER_TYPES, (value) => word('trigger', value))}
          {select('since', 'Period', PERIODS, periodLabel)}
          <div ref={more}>
            <MenuButton label="More filters" placement="bottom start" shortcut="f">
              {FILTER_FORM_NAMES.map((form) => (
                <MenuItem
                  key={form}
                  name={FILTER_FORMS[form].name}
                  onAction={() => more.current && setOpen({ form, anchor: more.current })}
                />
              ))}
            </MenuButton>
          </div>
          <FailedSince search={search} agents={agents} onChange={change} />
        </Filters>
        <div className={styles.columns}>
          <SavedViews screen="runs" search={search} />
          {columns}
        </div>
      </div>
      <Chips search={search} agents={agents} onChange={change} onOpen={setOpen} />
      {open && (
        <FilterFormPopover
          open={open}
          search={search}
          error={error}
          onApply={(next) => {
            change(next);
            setOpen(undefined);
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

interface PartProps {
  search: Search;
  agents: readonly Agent[];
  onChange: (next: Search) => void;
}

/** Searches when the person presses Enter. */
function TextSearch({ search, onChange }: Omit<PartProps, 'agents'>): ReactNode {
  const [text, setText] = useState(() => valuesOf(search, 'q')[0] ?? '');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onChange({ ...search, q: text.trim() === '' ? undefined : text.trim() });
  };
  return (
    <form className={styles.search} role="search" aria-label="Runs" onSubmit={submit}>
      <TextField
        compact
        label="Error, input or output contains"
        placeholder="Error, input or output contains …"
        value={text}
        onChange={setText}
      />
      <Button type="submit">Search</Button>
    </form>
  );
}

/** Button that filters for failed runs of the selected agent since the creation of its production version. */
function FailedSince({ search, agents, onChange }: PartProps): ReactNode {
  const agent = agents.find(({ id }) => id === valuesOf(search, 'agent')[0]);
  const show = useMutation({
    mutationFn: ({ id, production_version: n }: Agent) => aas.versions.get(id, n),
    onSuccess: ({ agent: id, created_at: since }) => onChange({ agent: id, status: 'failed', since }),
  });
  if (agent === undefined) return null;
  return (
    <>
      <Button look="quiet" onClick={() => show.mutate(agent)}>
        Failed since version {agent.production_version}
      </Button>
      <ProblemAlert error={show.error} />
    </>
  );
}

function Chips({ search, agents, onChange, onOpen }: PartProps & { onOpen: (open: OpenForm) => void }): ReactNode {
  const filters = activeFilters(search);
  if (filters.length === 0) return null;
  const textOf = (filter: ActiveFilter): ActiveFilter => {
    const agent = filter.name === 'agent' ? agents.find(({ id }) => id === filter.value) : undefined;
    return agent ? { name: 'agent', value: agent.name } : filterText(filter);
  };
  return (
    <div className={styles.filters}>
      {filters.map((filter) => {
        const { name, value } = textOf(filter);
        const form = formOf(filter.name);
        return (
          <Chip
            key={`${filter.name} ${filter.value}`}
            name={name}
            text={value}
            title={`${filter.name}=${filter.value}`}
            onOpen={form && ((anchor) => onOpen({ form, anchor }))}
            onRemove={() => onChange(withoutFilter(search, filter))}
          />
        );
      })}
      <Button look="quiet" onClick={() => onChange({})}>
        Clear filters
      </Button>
      <CopyButton text={location.href} name="Copy link" />
    </div>
  );
}
