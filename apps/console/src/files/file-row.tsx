import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { aas, isNotFound } from '../data/api.js';
import { useRefusal, WORKSPACE } from '../data/session.js';
import { withRecentSignIn } from '../data/step-up.js';
import { Button } from '../ui/button.js';
import { DialogActions } from '../ui/dialog.js';
import { DialogButton } from '../ui/dialog-button.js';
import { formatBytes } from '../ui/format-values.js';
import { ProblemAlert } from '../ui/problem.js';
import { FilePreview, previewRefusal } from './file-preview.js';
import { type FileValue, HIDDEN, type StoredFile, valueOfFile } from './file-value.js';
import styles from './files.module.css';

const FIRST_ROWS = 20;

/** Lists files. Renders nothing if there are none. */
export function FileRows({ files }: { files: readonly FileEntry[] }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (files.length === 0) return null;
  return (
    <>
      <ul className={styles.files}>
        {(isWhole ? files : files.slice(0, FIRST_ROWS)).map((entry) => (
          <FileRow key={entry.file.file} {...entry} />
        ))}
      </ul>
      {!isWhole && files.length > FIRST_ROWS && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show all {files.length} files
        </Button>
      )}
    </>
  );
}

export interface FileEntry {
  file: FileValue;
  /** The file as the API has just returned it. Without it, the row asks the API. */
  stored?: StoredFile;
  /** What follows the type and the size, for example the place of the file in a run. */
  note?: ReactNode;
}

export interface FileRowProps extends FileEntry {
  /** More buttons. */
  actions?: ReactNode;
}

/** One file: its name, type and size, and what can be done with its bytes. */
export function FileRow({ file, stored: given, note, actions }: FileRowProps): ReactNode {
  return (
    <li className={styles.row}>
      <FileCells file={file} stored={given} note={note} actions={actions} />
    </li>
  );
}

/** The content of a {@link FileRow}, for a cell of a table. */
export function FileCells({ file, stored: given, note, actions }: FileRowProps): ReactNode {
  const scope = useRefusal('files:read');
  const { data = given, error } = useQuery({
    queryKey: [...WORKSPACE, 'file', file.file],
    queryFn: () => aas.files.get(file.file),
    enabled: given === undefined && scope === null,
    staleTime: 30_000,
  });
  const [revealed, setRevealed] = useState<StoredFile>();
  const isHidden = data?.sha256 === HIDDEN;
  const shown = revealed ? valueOfFile(revealed) : isHidden ? valueOfFile(data) : file;
  const gone = absence(data, error);
  return (
    <>
      <div className={styles.main}>
        <bdi className={styles.name}>{shown.filename}</bdi>
        <div className={styles.second}>
          {shown.content_type} · {formatBytes(shown.bytes)}
          {note !== undefined && <> · {note}</>}
          {gone !== undefined && <span className={styles.gone}> · {gone}</span>}
        </div>
      </div>
      <div className={styles.actions}>
        {gone === undefined && (
          <Bytes file={shown} refusal={scope} isHidden={isHidden && !revealed} reveal={revealed !== undefined} />
        )}
        {isHidden && !revealed && gone === undefined && <Reveal id={file.file} onRevealed={setRevealed} />}
        {actions}
      </div>
    </>
  );
}

function absence(stored: StoredFile | undefined, error: unknown): string | undefined {
  if (isNotFound(error)) return 'The file does not exist, or you may not see it.';
  return stored?.status === 'deleted' ? 'Deleted.' : undefined;
}

interface BytesProps {
  file: FileValue;
  refusal: string | null;
  isHidden: boolean;
  /** Whether the person has asked for a redacted file. */
  reveal: boolean;
}

function Bytes({ file, refusal, isHidden, reveal }: BytesProps): ReactNode {
  const hidden = isHidden ? 'A run redacts this file. Choose Reveal first.' : null;
  const download = useMutation({ mutationFn: () => downloadFile(file, reveal) });
  return (
    <>
      <DialogButton
        name="Preview"
        title={file.filename}
        aria-label={`Preview ${file.filename}`}
        refusal={refusal ?? hidden ?? previewRefusal(file)}
      >
        {(close) => (
          <>
            <FilePreview file={file} reveal={reveal} />
            <DialogActions>
              <Button onClick={close}>Close</Button>
            </DialogActions>
          </>
        )}
      </DialogButton>
      <Button
        aria-label={`Download ${file.filename}`}
        refusal={refusal ?? hidden ?? (download.isPending ? 'The service has not responded yet.' : null)}
        onClick={() => download.mutate()}
      >
        Download
      </Button>
      <ProblemAlert error={download.error} />
    </>
  );
}

/** Reads the first byte, so that an error appears on the page. Then the browser downloads the file without its memory. */
async function downloadFile({ file, bytes }: FileValue, reveal: boolean): Promise<void> {
  const headers: Record<string, string> = bytes > 0 ? { range: 'bytes=0-0' } : {};
  const opened = await withRecentSignIn(() => aas.files.download(file, { headers, reveal }));
  opened.close();
  const link = document.createElement('a');
  link.href = `/v1/files/${file}/content${reveal ? '?reveal=true' : ''}`;
  link.download = '';
  link.click();
}

function Reveal({ id, onRevealed }: { id: string; onRevealed: (file: StoredFile) => void }): ReactNode {
  const refusal = useRefusal('runs:reveal');
  const reveal = useMutation({
    mutationFn: () => withRecentSignIn(() => aas.files.get(id, { reveal: true })),
    onSuccess: onRevealed,
  });
  return (
    <>
      <Button
        refusal={refusal ?? (reveal.isPending ? 'The service has not responded yet.' : null)}
        onClick={() => reveal.mutate()}
      >
        Reveal
      </Button>
      <ProblemAlert error={reveal.error} />
    </>
  );
}
