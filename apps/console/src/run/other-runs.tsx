import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { inputLine } from '../runs/input-line.js';
import { Button } from '../ui/button.js';
import { DialogActions } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import styles from './run.module.css';

const AT_ONCE = 11;

/** Links to the comparisons with other runs of the agent: the latest ones, or those that a person searches for. */
export function OtherRuns({ run, onClose }: { run: Run; onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [sought, setSought] = useState('');
  const query = sought === '' ? {} : /^run_\w+$/.test(sought) ? { id: [sought] } : { q: sought };
  const list = usePagedList(['runs', 'of', run.agent, 'others', query], (page) =>
    aas.runs.list({ agent: run.agent, limit: AT_ONCE, ...query, ...page }),
  );
  const others = list.items.filter(({ id }) => id !== run.id);
  return (
    <>
      <form
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault();
          setSought(text.trim());
        }}
      >
        <TextField label="Id, or text of the input, output or error" value={text} onChange={setText} />
        <Button type="submit">Search</Button>
      </form>
      <ProblemAlert error={list.error} />
      <ul>
        {others.map((other) => (
          <OtherRun key={other.id} run={run} other={other} onClose={onClose} />
        ))}
      </ul>
      <p role="status">
        {!list.isPending &&
          others.length === 0 &&
          `No ${list.hasMore ? 'recent run' : 'other run of the agent'} matches.`}
      </p>
      <DialogActions>
        {list.hasMore && (
          <Button onClick={list.readMore} refusal={list.isReadingMore ? 'The next page is being read.' : null}>
            {sought === '' ? 'Show more' : 'Search older runs'}
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </>
  );
}

function OtherRun({ run, other, onClose }: { run: Run; other: Run; onClose: () => void }): ReactNode {
  return (
    <li className={styles.other}>
      <Status value={other.status} />
      <Link to="/runs/$id" params={{ id: run.id }} search={{ compare: other.id }} onClick={onClose}>
        <code>{other.id}</code>
      </Link>
      <Time at={other.started_at} />
      <span className={styles.otherInput}>{inputLine(other.input)}</span>
    </li>
  );
}
