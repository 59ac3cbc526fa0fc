import { useEffect, useRef, useState } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { baseKey } from './knowledge-queries.js';

/** A file on its way into the knowledge base. */
export interface DocumentUpload {
  id: number;
  file: File;
  /** `stored`: the service has the file, and the sync `sync` makes it searchable. */
  state: 'waiting' | 'sending' | 'stored' | 'failed' | 'cancelled';
  /** Share that is sent, from 0 to 1. */
  share: number;
  sync?: string;
  error?: unknown;
}

export interface DocumentUploads {
  uploads: readonly DocumentUpload[];
  add: (files: readonly File[]) => void;
  cancel: (id: number) => void;
  retry: (upload: DocumentUpload) => void;
  clear: () => void;
}

/** Uploads files one after the other. Leaving the page aborts the uploads that are not stored. */
export function useDocumentUploads(base: string): DocumentUploads {
  const [uploads, setUploads] = useState<readonly DocumentUpload[]>([]);
  const aborts = useRef(new Map<number, AbortController>());
  const queue = useRef(Promise.resolve());
  const last = useRef(0);
  useEffect(() => {
    const open = aborts.current;
    return () => open.forEach((abort) => abort.abort());
  }, []);
  const change = (id: number, part: Partial<DocumentUpload>): void =>
    setUploads((all) => all.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
  const send = async ({ id, file }: DocumentUpload, { signal }: AbortController): Promise<void> => {
    try {
      signal.throwIfAborted();
      change(id, { state: 'sending' });
      const source = await uploadSource(base);
      const document = { name: file.name, type: file.type || 'application/octet-stream', bytes: file };
      const { id: sync } = await aas.documents.push(base, source, document, {
        signal,
        onProgress: ({ sent, total }) => change(id, { share: total === null || total === 0 ? 0 : sent / total }),
      });
      change(id, { state: 'stored', sync });
    } catch (error) {
      change(id, signal.aborted ? { state: 'cancelled' } : { state: 'failed', error });
    }
    aborts.current.delete(id);
    await queryClient.invalidateQueries({ queryKey: baseKey(base) });
  };
  const start = (upload: DocumentUpload): void => {
    const abort = new AbortController();
    aborts.current.set(upload.id, abort);
    queue.current = queue.current.then(() => send(upload, abort));
  };
  return {
    uploads,
    add: (files) => {
      const added = files.map((file): DocumentUpload => ({ id: ++last.current, file, state: 'waiting', share: 0 }));
      setUploads((all) => [...all, ...added]);
      added.forEach(start);
    },
    cancel: (id) => {
      aborts.current.get(id)?.abort();
      change(id, { state: 'cancelled' });
    },
    retry: (upload) => {
      change(upload.id, { state: 'waiting', share: 0, error: undefined });
      start(upload);
    },
    clear: () => setUploads((all) => all.filter(({ id }) => aborts.current.has(id))),
  };
}

/** Returns the first `upload` source of the knowledge base. Adds one if there is none. */
async function uploadSource(base: string): Promise<string> {
  const { data } = await aas.sources.list(base, { limit: 100 });
  const known = data.find(({ connector }) => connector === 'upload');
  return (known ?? (await aas.sources.create(base, { connector: 'upload' }))).id;
}
