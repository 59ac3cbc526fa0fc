import { type ReactNode, useId, useRef } from 'react';
import { jsonOrText } from '../data/json-or-text.js';
import { Button } from '../ui/button.js';
import controls from '../ui/controls.module.css';
import { ProblemAlert } from '../ui/problem.js';
import { Chooser, DropZone, Progress } from './drop-zone.js';
import { FileRow } from './file-row.js';
import { type FileRule, ruleText } from './file-rule.js';
import { filesIn, type FileValue } from './file-value.js';
import styles from './files.module.css';
import { useUpload } from './use-upload.js';

export interface FileFieldProps {
  label: string;
  hint?: string;
  problem?: string;
  rule: FileRule;
  isList: boolean;
  /** The chosen file as JSON, or the list of files. Empty if there is none. */
  value: string;
  onChange: (value: string) => void;
}

/** A field that uploads its files as soon as they are chosen or dropped. Its value then names them. */
export function FileField({ label, hint, problem, rule, isList, value, onChange }: FileFieldProps): ReactNode {
  const id = useId();
  const chooser = useRef<HTMLDivElement>(null);
  const files = filesIn(jsonOrText(value));
  const change = (next: readonly FileValue[]): void =>
    onChange(next.length === 0 ? '' : JSON.stringify(isList ? next : next[0]));
  // The buttons `Remove` and `Cancel upload` disappear, so they pass the focus on.
  const focusChooser = (): void => chooser.current?.querySelector('button')?.focus();
  const upload = useUpload(rule, {
    onUploaded: (file) => change(isList ? [...files, file] : [file]),
    onEnd: () => {
      if (document.activeElement?.hasAttribute('data-cancel') === true) focusChooser();
    },
  });
  const remove = (file: FileValue): void => {
    change(files.filter((each) => each.file !== file.file));
    focusChooser();
  };
  const texts = [hint, ruleText(rule)].filter(Boolean).join(' ');
  const shownProblem = upload.problem ?? problem;
  return (
    <div role="group" aria-labelledby={`${id}-label`} className={controls.field}>
      <span id={`${id}-label`} className={controls.label}>
        {label}
      </span>
      <DropZone isInvalid={shownProblem !== undefined} onDrop={upload.choose} isList={isList}>
        <ChosenFiles label={label} files={files} onRemove={remove} />
        {upload.current && <Progress {...upload.current} onCancel={upload.cancel} />}
        <div ref={chooser} className={styles.choose}>
          <Chooser
            name={chooseText(isList, files.length)}
            label={label}
            describedBy={`${id}-hint ${id}-problem`}
            refusal={upload.refusal}
            accept={rule.accept}
            isList={isList}
            onChoose={upload.choose}
          />
        </div>
      </DropZone>
      {texts !== '' && (
        <div id={`${id}-hint`} className={controls.hint}>
          {texts}
        </div>
      )}
      <div id={`${id}-problem`} role="alert" className={controls.invalid}>
        {shownProblem}
      </div>
      <ProblemAlert error={upload.error} />
      <span role="status" className="visually-hidden">
        {upload.done === undefined ? '' : `${upload.done} is uploaded.`}
      </span>
    </div>
  );
}

interface ChosenFilesProps {
  label: string;
  files: readonly FileValue[];
  onRemove: (file: FileValue) => void;
}

function ChosenFiles({ label, files, onRemove }: ChosenFilesProps): ReactNode {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={`Files of ${label}`}>
      {files.map((file) => (
        <FileRow
          key={file.file}
          file={file}
          actions={
            <Button look="quiet" aria-label={`Remove ${file.filename}`} onClick={() => onRemove(file)}>
              Remove
            </Button>
          }
        />
      ))}
    </ul>
  );
}

function chooseText(isList: boolean, chosen: number): string {
  if (isList) return chosen === 0 ? 'Choose files' : 'Add files';
  return chosen === 0 ? 'Choose file' : 'Choose another file';
}
