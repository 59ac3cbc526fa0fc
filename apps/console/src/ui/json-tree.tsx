import { type ReactNode, useState } from 'react';
import { Button } from './button.js';
import styles from './json-tree.module.css';
import { FIRST_CHARACTERS, JsonView } from './json-view.js';
import frames from './json-view.module.css';

const FIRST_MEMBERS = 100;

/** Shows an object or a list as a tree that opens level by level. Renders values only as text, because they are not trusted. */
export function JsonTree({ label, value }: { label: string; value: unknown }): ReactNode {
  if (!isBranch(value)) return <JsonView label={label} value={value ?? 'null'} />;
  return (
    <figure className={frames.figure}>
      <figcaption>{label}</figcaption>
      <div className={`${frames.frame} ${styles.tree}`} tabIndex={0} role="region" aria-label={label}>
        <Members value={value} isOpen />
      </div>
    </figure>
  );
}

/** A branch renders its members only while it is open. */
function Members({ value, isOpen = false }: { value: object; isOpen?: boolean }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const all = Object.entries(value);
  const shown = isWhole ? all : all.slice(0, FIRST_MEMBERS);
  return (
    <ul>
      {shown.map(([name, member]: [string, unknown]) => (
        <li key={name} dir="auto">
          {isBranch(member) ? (
            <Branch name={name} value={member} isOpen={isOpen && all.length <= 10} />
          ) : (
            <Leaf name={name} value={member} />
          )}
        </li>
      ))}
      {shown.length < all.length && (
        <li>
          <Button look="quiet" onClick={() => setWhole(true)}>
            Show all {all.length.toLocaleString()}
          </Button>
        </li>
      )}
    </ul>
  );
}

function Leaf({ name, value }: { name: string; value: unknown }): ReactNode {
  if (typeof value === 'string' && value.length > FIRST_CHARACTERS) return <JsonView label={name} value={value} />;
  return (
    <>
      <span className={styles.name}>{name}</span> <span className={styles.leaf}>{JSON.stringify(value)}</span>
    </>
  );
}

function Branch({ name, value, isOpen: opens }: { name: string; value: object; isOpen: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(opens);
  const count = Object.keys(value).length;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={styles.name}>{name}</span>{' '}
        <span className={styles.count}>{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
      </summary>
      {isOpen && <Members value={value} />}
    </details>
  );
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
