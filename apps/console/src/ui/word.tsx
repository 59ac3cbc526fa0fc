import { Fragment, type ReactNode } from 'react';
import { placeText, word, type WordKind } from '../data/words.js';

/** The word for a value of the API. Its title is the value, if the word differs. */
export function Word({ kind, value }: { kind: WordKind; value: string }): ReactNode {
  const text = word(kind, value);
  return <span title={text === value ? undefined : value}>{text}</span>;
}

/** A text of the API, with the parts between backticks as code. */
export function CodeText({ text }: { text: string }): ReactNode {
  return text
    .split(/`([^`]+)`/)
    .map((part, n) =>
      n % 2 === 0 ? <Fragment key={`${n} ${part}`}>{part}</Fragment> : <code key={`${n} ${part}`}>{part}</code>,
    );
}

/** The place that a JSON pointer names, in words. Its title is the pointer. */
export function Place({ pointer }: { pointer: string }): ReactNode {
  return (
    <span title={pointer === '' ? '/' : pointer}>
      <CodeText text={placeText(pointer)} />
    </span>
  );
}
