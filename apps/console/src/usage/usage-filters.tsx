import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AgentFilter } from '../runs/agent-filter.js';
import { nameOf, useAgents } from '../data/agent-names.js';
import { one, type Search } from '../data/search.js';
import { choices, periodLabel } from '../runs/run-filters.js';
import { Choice, DayField, labelOf } from '../ui/field.js';
import { Filters, PhoneChips } from '../ui/filters.js';
import { dayOf, endOf, GROUPINGS, lastDayBefore, startOf, USAGE_PERIODS } from './usage-query.js';
import styles from './usage.module.css';

/** Select fields for the grouping and the period of the report. Both are part of the page URL. */
export function UsageFilters({ search }: { search: Search }): ReactNode {
  const navigate = useNavigate();
  const change = (next: Search): void => void navigate({ to: '/usage', search: { ...search, ...next } });
  const current = (name: string): string => one(search[name]) ?? '';
  const given = (value: string): string | undefined => (value === '' ? undefined : value);
  const agents = useAgents();
  const periods = choices(USAGE_PERIODS, current('since'), 'last 30 days', periodLabel);
  const [agent, from, to] = [current('agent'), dayOf(current('since')), lastDayBefore(one(search.until))];
  const range = from === '' && to === '' ? labelOf(periods, current('since')) : `${from} – ${to}`;
  const set = [
    agent !== '' && { name: 'agent', text: nameOf(agent, agents), onRemove: () => change({ agent: undefined }) },
    (search.since !== undefined || search.until !== undefined) && {
      name: 'period',
      text: range,
      onRemove: () => change({ since: undefined, until: undefined }),
    },
  ].filter((filter) => typeof filter === 'object');
  return (
    <div className={styles.filters}>
      <Choice
        label="Group by"
        value={current('group_by') || 'day'}
        onChange={(value) => change({ group_by: value })}
        options={choices(GROUPINGS, current('group_by'), '').slice(1)}
      />
      <Filters set={set.length}>
        <AgentFilter value={agent} onChange={(value) => change({ agent: value })} />
        <Choice
          label="Period"
          value={current('since')}
          onChange={(value) => change({ since: given(value), until: undefined })}
          options={periods}
        />
        <DayRange since={one(search.since)} until={one(search.until)} onChange={change} />
      </Filters>
      <PhoneChips filters={set} />
    </div>
  );
}

interface DayRangeProps {
  since: string | undefined;
  until: string | undefined;
  onChange: (range: { since?: string; until?: string }) => void;
}

function DayRange({ since, until, onChange }: DayRangeProps): ReactNode {
  const [from, to] = [dayOf(since), lastDayBefore(until)];
  const changeFrom = (day: string): void => onChange({ since: day === '' ? undefined : startOf(day), until });
  const changeTo = (day: string): void => onChange({ since, until: day === '' ? undefined : endOf(day) });
  return (
    <>
      <DayField label="From" value={from} onChange={changeFrom} />
      <DayField label="To" value={to} onChange={changeTo} />
    </>
  );
}
