import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useRef, useState } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { ProblemAlert } from '../ui/problem.js';
import { counted } from './base-health.js';
import styles from './knowledge.module.css';
import { baseKey } from './knowledge-queries.js';
import type { SourceProps } from './knowledge-types.js';

/** The timeout is long, because files can be large and connections slow. */
const UPLOAD_TIMEOUT = '30m';

/** Form that uploads files to an `upload` source. A file replaces the document with the same name. */
export function UploadForm({ base, source }: SourceProps): ReactNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [files, setFiles] = useState<readonly File[]>([]);
  const refusal = useRefusal('knowledge:write');
  const upload = useMutation({
    mutationFn: () => aas.documents.push(base, source.id, formOfFiles(files), { timeout: UPLOAD_TIMEOUT }),
    onSuccess: () => {
      setFiles([]);
      if (input.current) input.current.value = '';
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: baseKey(base) }),
  });
  const waiting = upload.isPending ? 'The files are being sent.' : null;
  const missing = files.length === 0 ? 'Choose files first.' : null;
  return (
    <div className={styles.upload}>
      <div className={styles.uploadField}>
        <label htmlFor={id}>Files</label>
        <input
          ref={input}
          id={id}
          type="file"
          multiple
          aria-describedby={`${id}-hint`}
          onChange={(event) => setFiles(Array.from(event.target.files ?? []))}
        />
        <span id={`${id}-hint`} className={styles.second}>
          Text, Markdown, HTML, PDF and office documents; up to 100 at once, each up to 50 MiB.
        </span>
      </div>
      <div className={styles.bar}>
        <Button refusal={refusal ?? waiting ?? missing} onClick={() => upload.mutate()}>
          Upload
        </Button>
        <span role="status" className={styles.second}>
          {upload.isPending && `Sending ${counted(files.length, 'file')}.`}
          {upload.isSuccess && 'The files are stored. A sync makes them searchable.'}
        </span>
      </div>
      <ProblemAlert error={upload.error} />
    </div>
  );
}

function formOfFiles(files: readonly File[]): FormData {
  const form = new FormData();
  for (const file of files) form.append('file', file, file.name);
  return form;
}
