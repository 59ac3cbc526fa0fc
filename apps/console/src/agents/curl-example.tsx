import type { ReactNode } from 'react';
import { curlCommand } from '../ui/curl.js';
import { CopyButton } from '../ui/copy-button.js';
import styles from './agents.module.css';

interface CurlExampleProps {
  /** Path and query of the address at the API. */
  path: string;
  header: readonly [name: string, value: string];
  body: unknown;
}

/** A command that sends the body to the API. */
export function CurlExample({ path, header: [name, value], body }: CurlExampleProps): ReactNode {
  const text = curlCommand({
    method: 'POST',
    url: `${location.origin}${path}`,
    headers: { [name]: value, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (
    <>
      <pre className={styles.curl} tabIndex={0} aria-label="Command line" role="region">
        {text}
      </pre>
      <div className={styles.buttons}>
        <CopyButton text={text} />
      </div>
    </>
  );
}
