import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './button.js';

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
