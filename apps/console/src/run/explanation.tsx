import type { ReactNode } from 'react';
import { CodeText, Word } from '../ui/word.js';

/** The code and the message of an error or a warning. */
export function Explanation({ code = '', message = '' }: { code?: string; message?: string }): ReactNode {
  return (
    <>
      <strong>
        <Word kind="error" value={code} />
      </strong>
      <p dir="auto">
        <CodeText text={message} />
      </p>
    </>
  );
}
