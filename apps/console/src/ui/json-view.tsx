import { type ReactNode, useState } from 'react';
import { Button } from './button.js';
import styles from './json-view.module.css';

/**
 * Number of characters that are shown at first. The person can ask for the rest. Rendering all of a large response
 * would block the page.
 */
export const FIRST_CHARACTERS = 20_000;

/** Shows a value as indented JSON. Renders it only as text, because it is not trusted. */
export function JsonView({ label, value }: { label: string; value: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const isCut = !isWhole && text.length > FIRST_CHARACTERS;
  return (
    <figure className={styles.figure}>
      <figcaption>{label}</figcaption>
      <pre className={styles.frame} tabIndex={0} role="region" aria-label={label} dir="auto">
        {isCut ? text.slice(0, FIRST_CHARACTERS) : text}
      </pre>
      {isCut && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </Button>
      )}
    </figure>
  );
}
