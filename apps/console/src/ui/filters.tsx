import { X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.js';
import styles from './filters.module.css';
import { useMedia } from './media.js';

const narrow = matchMedia('(max-width: 719px)');

/** The fields of the filters of a list. On a phone they are behind a button with the number of set filters. */
export function Filters({ set, children }: { set: number; children: ReactNode }): ReactNode {
  const isNarrow = useMedia(narrow);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  if (!isNarrow) return children;
  return (
    <>
      <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        Filters{set > 0 && ` (${set})`}
      </Button>
      <div id={id} className={styles.fields} hidden={!isOpen}>
        {children}
      </div>
    </>
  );
}

export interface SetFilter {
  name: string;
  /** Value in words. */
  text: string;
  onRemove: () => void;
}

/** The set filters, for lists whose fields show them. Only a phone shows them. */
export function PhoneChips({ filters }: { filters: readonly SetFilter[] }): ReactNode {
  const isNarrow = useMedia(narrow);
  if (!isNarrow || filters.length === 0) return null;
  return (
    <div className={styles.chips}>
      {filters.map(({ name, text, onRemove }) => (
        <Chip key={name} name={name} text={text} onRemove={onRemove} />
      ))}
    </div>
  );
}

export interface ChipProps extends SetFilter {
  title?: string;
  /** Opens the form of the filter, below the element. */
  onOpen?: (anchor: HTMLElement) => void;
}

/** A set filter with a button that removes it. */
export function Chip({ name, text, title, onOpen, onRemove }: ChipProps): ReactNode {
  const words = (
    <>
      <span className={styles.chipName}>{name}</span> <span className={styles.chipValue}>{text}</span>
    </>
  );
  return (
    <span className={styles.chip}>
      {onOpen === undefined ? (
        <span className={styles.chipText} title={title}>
          {words}
        </span>
      ) : (
        <button
          type="button"
          className={styles.chipText}
          title={title}
          aria-haspopup="dialog"
          onClick={(event) => onOpen(event.currentTarget)}
        >
          {words}
        </button>
      )}
      <button
        type="button"
        className={styles.chipRemove}
        aria-label={`Remove filter ${name} ${text}`}
        onClick={onRemove}
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}
