import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, isNotFound } from '../data/api.js';
import { CodeNotLoaded, reloadWhenConnected, useLostConnection } from '../data/connection.js';
import styles from './page.module.css';
import { AlertBox, ProblemAlert } from './problem.js';

export interface PageProps {
  /** Title of the browser tab, and the default heading of the page. */
  title: string;
  heading?: ReactNode;
  busy?: boolean;
  /** Error that is shown above the content. If the resource was not found, the content is hidden. */
  error?: unknown;
  /** Shown above the heading, for example a link to the parent page. */
  above?: ReactNode;
  /** Links beside the page on a wide screen. */
  aside?: ReactNode;
  /** Shown below the heading. */
  facts?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** Frame of a page. Renders the only `main` element and the only level-1 heading of the page. */
export function Page(props: PageProps): ReactNode {
  const { title, heading, busy = false, error, above, aside, facts, actions, children } = props;
  const isMissing = isNotFound(error);
  const shown = isMissing ? 'Not found' : title;
  useEffect(() => {
    document.title = `${shown} · Agent Automation`;
  }, [shown]);
  const isStale = useLostConnection() !== null;
  const content = (
    <>
      <header className={styles.header}>
        {above !== undefined && <div className={styles.above}>{above}</div>}
        <div className={styles.headings}>
          <h1>{isMissing ? shown : (heading ?? title)}</h1>
          {!isMissing && facts !== undefined && <div className={styles.facts}>{facts}</div>}
        </div>
        {!isMissing && actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      <ProblemAlert error={error} />
      {!isMissing && children}
    </>
  );
  return (
    <main id="main" tabIndex={-1} data-stale={isStale} className={styles.main} aria-busy={busy}>
      {aside === undefined ? (
        content
      ) : (
        <div className={styles.sided}>
          {aside}
          <div className={styles.column}>{content}</div>
        </div>
      )}
    </main>
  );
}

export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <p>
        The console has no page at this address. Check the address, or start from the <Link to="/">overview</Link>.
      </p>
    </Page>
  );
}

/** Shown if a page fails to load or render, for example because the console was updated while the page was open. */
export function PageFailure({ error }: { error: unknown }): ReactNode {
  const [isReloading, setReloading] = useState(error instanceof CodeNotLoaded);
  useEffect(() => {
    if (isReloading) void reloadWhenConnected().then(() => setReloading(false));
  }, [isReloading]);
  if (isReloading)
    return (
      <Page title="Loading" busy>
        <p>The page opens as soon as the service can be reached.</p>
      </Page>
    );
  return (
    <Page title="The page cannot be shown" error={error instanceof ApiError ? error : null}>
      {!(error instanceof ApiError) && (
        <AlertBox
          title="The page failed"
          detail={error instanceof Error ? error.message : 'The page failed to load or render.'}
          remedy="Load the page again. If it fails again, report the text above to the operator."
        />
      )}
      <p>
        <a href={location.href}>Load the page again</a>. The console may have been updated.
      </p>
    </Page>
  );
}

export function Card(props: { title?: string; actions?: ReactNode; flush?: boolean; children: ReactNode }): ReactNode {
  const { title, actions, flush = false, children } = props;
  return (
    <section className={styles.card} aria-label={title}>
      {title !== undefined && (
        <div className={styles.cardHeader}>
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      <div className={flush ? styles.flush : styles.cardBody}>{children}</div>
    </section>
  );
}

/** Two columns. On narrow screens, `side` is below `main`, or between `first` and `main`. */
export function Columns({ first, main, side }: { first?: ReactNode; main: ReactNode; side: ReactNode }): ReactNode {
  const columns = first === undefined ? [main, side] : [first, side, main];
  return (
    <div className={first === undefined ? styles.columns : `${styles.columns} ${styles.headed}`}>
      {columns.map((column, position) => (
        <div key={position} className={styles.column}>
          {column}
        </div>
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className={styles.empty}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/**
 * Names and values. A fact is known by its position, so a value keeps its state, for example an open dialog, if only its
 * name changes.
 */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode] | null)[] }): ReactNode {
  return (
    <dl className={styles.pairs}>
      {facts.map(
        (fact, position) =>
          fact && (
            <div key={position}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/**
 * A section that is closed at first, unless `isOpenFirst`. The children are rendered, and load their data, only while it
 * is open.
 */
export function Disclosure(props: { summary: string; isOpenFirst?: boolean; children: ReactNode }): ReactNode {
  const { summary, isOpenFirst = false, children } = props;
  const [isOpen, setOpen] = useState(isOpenFirst);
  return (
    <details className={styles.disclosure} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
