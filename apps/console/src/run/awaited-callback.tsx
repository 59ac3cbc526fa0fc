import type { ReactNode } from 'react';
import type { Run } from '../data/api.js';
import { CopyButton } from '../ui/copy-button.js';
import { Card } from '../ui/page.js';
import styles from './run.module.css';

/**
 * Shows the URL of the callback that the run waits for. Renders nothing if the API does not return this URL to the
 * person.
 */
export function AwaitedCallback({ run }: { run: Run }): ReactNode {
  const { callback_url: url }: { callback_url?: string; id: string } = run;
  if (url === undefined) return null;
  return (
    <Card title="Waits for a callback">
      <p>
        The run continues when another system sends a POST request with an object to this address. It can be used once.
      </p>
      <p className={styles.callback}>
        <code>{url}</code> <CopyButton text={url} />
      </p>
    </Card>
  );
}
