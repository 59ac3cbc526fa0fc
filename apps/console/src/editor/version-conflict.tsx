import { lazy, type ReactNode, Suspense } from 'react';
import { Button } from '../ui/button.js';
import { Card } from '../ui/page.js';
import { Time } from '../ui/time.js';
import styles from './editor.module.css';
import type { NewerVersion } from './save-version.js';

const TextDiff = lazy(() => import('../ui/text-diff.js').then(({ TextDiff: component }) => ({ default: component })));

/** Shows the newer version beside the text in the editor, so that the person can choose one of them. */
export function VersionConflict(props: { newer: NewerVersion; text: string; onTake: () => void }): ReactNode {
  const { newer, text, onTake } = props;
  return (
    <Card
      title="A newer version was saved"
      actions={<Button onClick={onTake}>Use version {newer.version} instead</Button>}
    >
      <p role="status">
        {newer.createdBy} saved version {newer.version} <Time at={newer.createdAt} />. Your text is still here. Save
        again to make it the version after {newer.version}, or take over what you need first.
      </p>
      <div className={styles.conflict}>
        <Suspense fallback={<p>Comparing the definitions …</p>}>
          <TextDiff
            split
            before={{ label: `Version ${newer.version} by ${newer.createdBy}`, text: newer.text }}
            after={{ label: 'Your text', text }}
          />
        </Suspense>
      </div>
    </Card>
  );
}
