import { type ReactNode, useId } from 'react';
import { Chooser, DropZone, Progress } from '../files/drop-zone.js';
import files from '../files/files.module.css';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { counted } from './base-health.js';
import { type DocumentUpload, type DocumentUploads, useDocumentUploads } from './document-uploads.js';
import { FailureText } from './failure-text.js';
import styles from './knowledge.module.css';
import { useSources } from './knowledge-queries.js';
import type { Sync } from './knowledge-types.js';

/** Zone on which a person drops the files that become documents. Shows the state of each file, failures first. */
export function UploadZone({ base }: { base: string }): ReactNode {
  const id = useId();
  const refusal = useRefusal('knowledge:write');
  const all = useDocumentUploads(base);
  const sync = useSources(base).data?.data.find(({ connector }) => connector === 'upload')?.last_sync ?? undefined;
  const rows = all.uploads.map((upload) => ({ upload, outcome: outcomeOf(upload, sync) }));
  const sorted = [...rows.filter(isFailed), ...rows.filter((row) => !isFailed(row))];
  const ready = rows.filter(({ outcome }) => outcome.status === 'searchable').length;
  return (
    <section aria-label="Upload documents" className={styles.stack}>
      <DropZone isList onDrop={(dropped) => refusal === null && all.add(dropped)}>
        <div className={styles.drop}>
          <strong>Upload documents</strong>
          <Chooser
            name="Choose files"
            label="the knowledge base"
            describedBy={`${id}-hint`}
            refusal={refusal}
            isList
            onChoose={all.add}
          />
          <span id={`${id}-hint`} className={styles.second}>
            Text, Markdown, HTML, CSV, PDF and Word files. A file replaces the document with the same name.
          </span>
        </div>
      </DropZone>
      {rows.length > 0 && (
        <>
          <ul className={styles.uploads} aria-label="Uploaded files">
            {sorted.map(({ upload, outcome }) => (
              <UploadRow key={upload.id} upload={upload} outcome={outcome} uploads={all} />
            ))}
          </ul>
          <div className={styles.bar}>
            <span role="status" className={styles.second}>
              {ready} of {counted(rows.length, 'file')} searchable
            </span>
            <Button look="quiet" onClick={all.clear}>
              Clear list
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

interface Outcome {
  status: 'queued' | 'sending' | 'indexing' | 'searchable' | 'failed' | 'cancelled';
  /** The reason why the stored file cannot be read. */
  failure?: Sync['failures'][number];
}

/** Combines the state of the upload with the sync that indexes its document. */
function outcomeOf({ state, file, sync: own }: DocumentUpload, sync: Sync | undefined): Outcome {
  if (state !== 'stored') return { status: state === 'waiting' ? 'queued' : state };
  // Ids of syncs are ordered by time, so an older sync has not seen the document.
  if (own === undefined || sync === undefined || sync.id < own || sync.ended_at === null) return { status: 'indexing' };
  const failure = sync.failures.find(({ key }) => key === file.name);
  if (failure) return { status: 'failed', failure };
  return { status: sync.status === 'failed' || sync.status === 'cancelled' ? 'failed' : 'searchable' };
}

function isFailed({ outcome }: { outcome: Outcome }): boolean {
  return outcome.status === 'failed';
}

interface UploadRowProps {
  upload: DocumentUpload;
  outcome: Outcome;
  uploads: DocumentUploads;
}

function UploadRow({ upload, outcome: { status, failure }, uploads }: UploadRowProps): ReactNode {
  const { id, file, share, error } = upload;
  const cancel = (): void => uploads.cancel(id);
  if (status === 'sending')
    return (
      <li>
        <Progress name={file.name} share={share} onCancel={cancel} />
      </li>
    );
  return (
    <li>
      <div className={files.row}>
        <bdi className={`${files.main} ${files.name}`}>{file.name}</bdi>
        <Status value={status} />
        {status === 'queued' && (
          <Button aria-label={`Cancel upload of ${file.name}`} onClick={cancel}>
            Cancel
          </Button>
        )}
        {(status === 'failed' || status === 'cancelled') && (
          <Button aria-label={`Try again: ${file.name}`} onClick={() => uploads.retry(upload)}>
            Try again
          </Button>
        )}
      </div>
      {failure && <FailureText {...failure} />}
      <ProblemAlert error={error} />
    </li>
  );
}
