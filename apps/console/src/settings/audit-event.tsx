import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { shownText } from '../approvals/approval-view.js';
import type { AuditEvent } from '../data/api.js';
import { placeOf } from '../data/id-places.js';
import type { Column } from '../ui/data-table.js';
import { Disclosure, Facts } from '../ui/page.js';
import { ClockTime } from '../ui/time.js';
import { actionWords, auditFacts, factText, subjectId, targetName, withNames } from './audit-facts.js';
import { targetPath } from './audit-filters.js';
import type { AuditNames } from './audit-names.js';
import styles from './settings.module.css';

export function auditColumns(known: AuditNames): readonly Column<AuditEvent>[] {
  return [
    { name: 'Time', cell: ({ created_at: at }) => <ClockTime at={at} /> },
    {
      name: 'Actor',
      kind: 'optional',
      cell: ({ actor }) => (
        <bdi className={styles.address} title={actor}>
          {actor}
        </bdi>
      ),
    },
    { name: 'Action', cell: (event) => <Sentence event={event} known={known} /> },
    { name: 'Details', kind: 'optional', cell: (event) => <Details event={event} known={known} /> },
  ];
}

interface EventProps {
  event: AuditEvent;
  known: AuditNames;
}

/** On a phone, the actor and the details have no columns of their own. */
function Sentence({ event, known }: EventProps): ReactNode {
  const isRefused = event.action.endsWith('_refused');
  const { changes, others } = auditFacts(event, known.names);
  return (
    <>
      <span title={event.action} className={isRefused ? styles.alarm : undefined}>
        {actionWords(event)}
      </span>{' '}
      <Target event={event} known={known} />
      <div className={styles.narrow}>
        <bdi>{event.actor}</bdi>
        {changes.length + others.length > 0 && (
          <Disclosure summary="Details">
            <Details event={event} known={known} />
          </Disclosure>
        )}
      </div>
    </>
  );
}

/**
 * Shows the target of an event, as a link if the console has a page for the target. The text of the target is not
 * trusted, because people and programs choose it. It never becomes part of the markup.
 */
function Target({ event, known }: EventProps): ReactNode {
  const id = subjectId(event) ?? '';
  const name = targetName(event, known.names);
  if (name === null) return null;
  return (
    <ThingLink id={id} path={targetPath({ ...event, target: id })} known={known}>
      <bdi className={styles.target} title={id}>
        {name}
      </bdi>
    </ThingLink>
  );
}

interface ThingLinkProps {
  id: string;
  path: string | undefined;
  known: AuditNames;
  children: ReactNode;
}

function ThingLink({ id, path, known, children }: ThingLinkProps): ReactNode {
  const base = known.bases.get(id);
  if (base !== undefined)
    return (
      <Link to="/knowledge/$id" params={{ id: base }} search={{ tab: 'sources' }} className={styles.inText}>
        {children}
      </Link>
    );
  if (path === undefined) return children;
  return (
    <Link to="/$" params={{ _splat: path.slice(1) }} className={styles.inText}>
      {children}
    </Link>
  );
}

function Details({ event, known }: EventProps): ReactNode {
  const { changes, others } = auditFacts(event, known.names);
  const isShort = others.length <= MAX_FACTS && others.every(([, value]) => typeof value !== 'object');
  if (changes.length === 0 && others.length === 0) return '–';
  return (
    <div className={styles.breakable} dir="auto">
      {changes.map(({ name, before, after }) => (
        <div key={`${name} ${String(before ?? after)}`}>
          {name}: {before !== undefined && <del>{withNames(shownText(before), known.names)}</del>}{' '}
          {after !== undefined && <ins>{withNames(shownText(after), known.names)}</ins>}
        </div>
      ))}
      {isShort ? (
        others.map(([name, value], index) => (
          <Fragment key={name}>
            {index > 0 && ', '}
            {readable(name)}: <Value value={value} known={known} />
          </Fragment>
        ))
      ) : (
        <Disclosure summary={others.map(([name]) => readable(name)).join(', ')}>
          <Facts facts={others.map(([name, value]) => [readable(name), <Value key={name} {...{ value, known }} />])} />
        </Disclosure>
      )}
    </div>
  );
}

/** An id becomes the name of its thing, as a link to its page. */
function Value({ value, known }: { value: unknown; known: AuditNames }): ReactNode {
  const text = factText(value);
  const shown = withNames(text, known.names);
  return (
    <ThingLink id={text} path={placeOf(text)?.path} known={known}>
      {shown === text ? text : <span title={text}>{shown}</span>}
    </ThingLink>
  );
}

const readable = (name: string): string => name.replaceAll('_', ' ');

/** Details with more facts, or with nested ones, are folded. */
const MAX_FACTS = 3;
