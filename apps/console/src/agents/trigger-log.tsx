import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { choices } from '../runs/run-filters.js';
import { Choice } from '../ui/field.js';
import { PagedTable } from '../ui/data-table.js';
import { Disclosure, Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { CodeText, Place } from '../ui/word.js';
import { word } from '../data/words.js';
import styles from './agents.module.css';

type TriggerEvent = Awaited<ReturnType<typeof aas.triggers.listEvents>>['data'][number];

const OUTCOMES = ['started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error'];
const LIMIT = 10;

interface TriggerLogProps {
  agent: Agent;
  triggers: readonly string[];
}

export function TriggerLog(props: TriggerLogProps): ReactNode {
  const { trigger, outcome }: Search = useSearch({ strict: false });
  return (
    <Disclosure summary="Log" isOpenFirst={trigger !== undefined || outcome !== undefined}>
      <Events {...props} />
    </Disclosure>
  );
}

/** Lists the events that arrived at the triggers of the agent. If an event did not start a run, shows the reason. */
function Events({ agent, triggers }: TriggerLogProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [trigger, outcome] = [one(search.trigger) ?? '', one(search.outcome) ?? ''];
  const query = {
    limit: LIMIT,
    ...(trigger !== '' && { trigger }),
    ...(outcome !== '' && { outcome: outcome.split(',') as TriggerEvent['outcome'][] }),
  };
  const list = usePagedList(['agent', agent.id, 'trigger-events', query], (page) =>
    aas.triggers.listEvents(agent.id, { ...query, ...page }),
  );
  const set = (name: string) => (value: string) =>
    void navigate({
      to: '/agents/$id',
      params: { id: agent.id },
      search: { ...search, [name]: value === '' ? undefined : value },
      resetScroll: false,
    });
  return (
    <section className={styles.form} aria-label="Trigger log">
      <div className={styles.filters}>
        <Choice
          compact
          label="Trigger"
          value={trigger}
          onChange={set('trigger')}
          options={choices(triggers, trigger, 'Any trigger')}
        />
        <Choice
          compact
          label="Outcome"
          value={outcome}
          onChange={set('outcome')}
          options={choices(OUTCOMES, outcome, 'Any outcome', (value) => word('status', value))}
        />
      </div>
      <ProblemAlert error={list.error} />
      <PagedTable
        label="Events"
        list={list}
        rowKey={({ id }) => id}
        columns={[
          { name: 'Outcome', cell: (event) => <Status value={event.outcome} /> },
          { name: 'Trigger', cell: ({ trigger: id }) => id },
          { name: 'Arrived', cell: ({ created_at: at }) => <Time at={at} /> },
          { name: 'Result', cell: (event) => <Result event={event} /> },
        ]}
        empty={<Empty title={trigger === '' && outcome === '' ? 'No event yet' : 'No results'} />}
      />
    </section>
  );
}

function Result({ event: { run, reason, errors } }: { event: TriggerEvent }): ReactNode {
  return (
    <div className={styles.second}>
      {run !== null && (
        <Link to="/runs/$id" params={{ id: run }}>
          Open run
        </Link>
      )}{' '}
      {reason}
      {errors.map(({ pointer, detail }) => (
        <div key={`${pointer} ${detail}`}>
          <Place pointer={pointer} /> <CodeText text={detail} />
        </div>
      ))}
    </div>
  );
}
