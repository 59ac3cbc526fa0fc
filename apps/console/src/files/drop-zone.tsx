import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../ui/button.js';
import { formatShare } from '../ui/format-values.js';
import styles from './files.module.css';
import type { Current } from './use-upload.js';

interface DropZoneProps {
  isInvalid?: boolean;
  onDrop: (files: readonly File[], isList: boolean) => void;
  isList: boolean;
  children: ReactNode;
}

export function DropZone({ isInvalid = false, onDrop, isList, children }: DropZoneProps): ReactNode {
  const [isOver, setOver] = useState(false);
  return (
    <div
      className={styles.drop}
      data-over={isOver}
      data-invalid={isInvalid}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop(Array.from(event.dataTransfer.files), isList);
      }}
    >
      {children}
    </div>
  );
}

interface ChooserProps {
  name: string;
  label: string;
  describedBy?: string;
  refusal: string | null;
  accept?: readonly string[];
  isList: boolean;
  onChoose: (files: readonly File[], isList: boolean) => void;
}

/** A button that opens the dialog of the browser for files. */
export function Chooser({ name, label, describedBy, refusal, accept = [], isList, onChoose }: ChooserProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        refusal={refusal}
        aria-describedby={describedBy}
        aria-label={`${name} for ${label}`}
        onClick={() => input.current?.click()}
      >
        {name}
      </Button>
      <span className={styles.second}>or drop {isList ? 'files' : 'a file'} here</span>
      <input
        ref={input}
        type="file"
        hidden
        multiple={isList}
        accept={accept.filter((type) => type !== '*/*').join(',')}
        onChange={(event) => {
          onChoose(Array.from(event.target.files ?? []), isList);
          // The same file can then be chosen again.
          event.target.value = '';
        }}
      />
    </>
  );
}

export function Progress({ name, share, onCancel }: Current & { onCancel: () => void }): ReactNode {
  return (
    <div className={styles.progress}>
      <bdi className={styles.name}>{name}</bdi>
      <progress value={share} aria-label={`Upload of ${name}`} />
      <span className={styles.second}>{formatShare(share, 1)}</span>
      <Button data-cancel onClick={onCancel}>
        Cancel upload
      </Button>
    </div>
  );
}
