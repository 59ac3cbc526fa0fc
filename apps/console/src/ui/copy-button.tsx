import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './button.js';
import styles from './shown-once.module.css';

export function CopyButton({ text, name = 'Copy' }: { text: string; name?: string }): ReactNode {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      // Pages that are served over plain HTTP cannot write to the clipboard.
      setOutcome('refused');
    }
  };
  return (
    <>
      <Button onClick={() => void copy()}>
        {outcome === 'copied' ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        {name}
      </Button>
      <span role="status">
        {outcome === 'copied' && 'Copied.'}
        {outcome === 'refused' &&
          'The browser does not allow this page to use the clipboard. Select the text and copy it.'}
      </span>
    </>
  );
}

/** Shows a secret that the API returns only once. The children tell the person what to do with the secret. */
export function ShownOnce({ label, text, children }: { label: string; text: string; children: ReactNode }): ReactNode {
  return (
    <div className={styles.once} role="group" aria-label={label}>
      <p>{children}</p>
      <code className={styles.text}>{text}</code>
      <div className={styles.actions}>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
