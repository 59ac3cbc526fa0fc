import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useRefusal, useWorkspace, WORKSPACE } from '../data/session.js';
import { FileCells } from '../files/file-row.js';
import { type StoredFile, valueOfFile } from '../files/file-value.js';
import fileStyles from '../files/files.module.css';
import { type Column, PagedTable } from '../ui/data-table.js';
import { ConfirmButton } from '../ui/dialog-button.js';
import { formatBytes, formatCount, formatShare } from '../ui/format-values.js';
import { Empty } from '../ui/page.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

/** A deletion changes the list and the sums of the workspace, so the key of the list begins with that of the workspace. */
const FILES = [...WORKSPACE, 'files'];

export function FilesPage(): ReactNode {
  const refusal = useRefusal('files:read');
  const list = usePagedList(FILES, (page) => aas.files.list({ ...page, limit: 100 }), { enabled: refusal === null });
  return (
    <SettingsFrame title="Files" busy={list.isPending} error={list.error} refusal={refusal} facts={<Use />}>
      <PagedTable
        label="Files"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <Empty title="No file yet">
            <p>
              Uploads, attachments of mails and files of runs appear here. <code>aas files upload</code> uploads one.
            </p>
          </Empty>
        }
      />
    </SettingsFrame>
  );
}

function Use(): ReactNode {
  const files = useWorkspace()?.files;
  if (!files) return null;
  const { count, bytes, limit_bytes: limit } = files;
  const use = `${formatCount(count)} ${count === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}`;
  return <span>{limit === null ? use : `${use} of ${formatBytes(limit)} (${formatShare(bytes, limit)})`}</span>;
}

const COLUMNS: readonly Column<StoredFile>[] = [
  { name: 'Name', cell: (file) => <Name file={file} /> },
  { name: 'Source', kind: 'optional', cell: ({ source }) => <Word kind="fileSource" value={source.type} /> },
  { name: 'Created', kind: 'optional', cell: ({ created_at: at }) => <Time at={at} /> },
  { name: 'Expires', kind: 'optional', cell: ({ expires_at: at }) => (at === null ? '–' : <Time at={at} />) },
  { name: 'Actions', kind: 'actions', cell: (file) => <Delete file={file} /> },
];

function Name({ file }: { file: StoredFile }): ReactNode {
  const { id, created_by: member } = file;
  return (
    <div className={fileStyles.row}>
      <FileCells file={valueOfFile(file)} stored={file} note={member ?? <code>{id}</code>} />
    </div>
  );
}

function Delete({ file: { id, filename } }: { file: StoredFile }): ReactNode {
  const refusal = useRefusal('files:write');
  return (
    <div>
      <ConfirmButton
        name="Delete"
        title="Delete the file?"
        refusal={refusal}
        run={() => aas.files.delete(id)}
        changes={WORKSPACE}
      >
        The bytes of <span className={styles.breakable}>{filename}</span> are deleted. A run that needs them fails.
      </ConfirmButton>
    </div>
  );
}
