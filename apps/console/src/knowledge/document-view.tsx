import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { aas } from '../data/api.js';
import { useRefusal } from '../data/session.js';
import { documentTypeText, languageText } from '../data/words.js';
import { Button } from '../ui/button.js';
import { ConfirmButton } from '../ui/dialog-button.js';
import { formatBytes } from '../ui/format-values.js';
import { Notice } from '../ui/notice.js';
import { Card, Columns, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Time } from '../ui/time.js';
import styles from './knowledge.module.css';
import { baseKey, useSources, useSourceTitle } from './knowledge-queries.js';
import type { DocumentWithChunks } from './knowledge-types.js';

const CHUNKS_AT_ONCE = 500;

export interface DocumentViewProps {
  base: string;
  id: string;
  /** The document version that a run has read. Set if the person followed a link from this run. */
  version: string | undefined;
  chunk: string | undefined;
  /** Id of the source by which the document list is filtered. The link back to the list keeps this filter. */
  source: string | undefined;
}

export function DocumentView({ base, id, version, chunk, source }: DocumentViewProps): ReactNode {
  const first = firstChunk(chunk);
  const pages = useInfiniteQuery({
    queryKey: [...baseKey(base), 'documents', id, first],
    queryFn: ({ pageParam }) => aas.documents.get(base, id, { from_chunk: pageParam }),
    initialPageParam: first,
    getNextPageParam: ({ chunks }) => (chunks.length < CHUNKS_AT_ONCE ? undefined : (chunks.at(-1)?.chunk ?? 0) + 1),
  });
  const document = pages.data?.pages[0];
  const chunks = pages.data?.pages.flatMap((page) => page.chunks) ?? [];
  return (
    <div className={styles.stack} aria-busy={pages.isPending}>
      <p>
        <Link
          to="/knowledge/$id"
          params={{ id: base }}
          search={{ tab: 'documents', ...(source !== undefined && { source }) }}
        >
          All documents
        </Link>
      </p>
      <ProblemAlert error={pages.error} />
      {document && (
        <>
          <OtherVersion document={document} read={version} />
          <Columns
            main={
              <Card title={document.title}>
                {first > 0 && <EarlierPassages base={base} document={document} first={first} />}
                <Chunks chunks={chunks} marked={chunk} />
                {pages.hasNextPage && (
                  <Button
                    onClick={() => void pages.fetchNextPage()}
                    refusal={pages.isFetchingNextPage ? 'The next passages are being read.' : null}
                  >
                    Show more
                  </Button>
                )}
              </Card>
            }
            side={<DocumentFacts base={base} document={document} />}
          />
        </>
      )}
    </div>
  );
}

/**
 * Returns the number of the first passage to load. If the page URL names a passage after the first page, returns the
 * number of this passage. Otherwise returns 0.
 */
function firstChunk(chunk: string | undefined): number {
  const wanted = Number(chunk);
  return Number.isInteger(wanted) && wanted >= CHUNKS_AT_ONCE ? wanted : 0;
}

function EarlierPassages(props: { base: string; document: DocumentWithChunks; first: number }): ReactNode {
  const { base, document, first } = props;
  return (
    <p className={styles.second}>
      {first} earlier passages.{' '}
      <Link to="/knowledge/$id" params={{ id: base }} search={{ tab: 'documents', document: document.id }}>
        Show from the beginning
      </Link>
    </p>
  );
}

function OtherVersion({ document, read }: { document: DocumentWithChunks; read: string | undefined }): ReactNode {
  if (read === undefined || read === String(document.version)) return null;
  return (
    <Notice tone="amber" title="The document has changed">
      <p>
        The run read version {read}; this is version {document.version}. The service stores only the current text. The
        trace of the run contains the passages that the run received.
      </p>
    </Notice>
  );
}

type Chunk = DocumentWithChunks['chunks'][number];

function Chunks({ chunks, marked }: { chunks: readonly Chunk[]; marked: string | undefined }): ReactNode {
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'center' });
  }, [marked]);
  return (
    <ol className={styles.chunks} aria-label="Passages">
      {chunks.map((chunk) => {
        const isMarked = String(chunk.chunk) === marked;
        return (
          <li
            key={chunk.chunk}
            ref={isMarked ? place : undefined}
            className={isMarked ? styles.marked : undefined}
            aria-current={isMarked || undefined}
          >
            <div className={styles.chunkHead}>
              <span>#{chunk.chunk}</span>
              <span>{chunk.heading}</span>
              <span>{chunk.tokens} tokens</span>
            </div>
            <p className={styles.passage}>{chunk.text}</p>
          </li>
        );
      })}
    </ol>
  );
}

function DocumentFacts({ base, document }: { base: string; document: DocumentWithChunks }): ReactNode {
  const titleOf = useSourceTitle();
  const source = useSources(base).data?.data.find(({ id }) => id === document.source);
  const name = source && titleOf(source);
  return (
    <Card title="Document">
      <Facts
        facts={[
          ['Id', <code key="id">{document.id}</code>],
          ['Version', String(document.version)],
          ['Source', name ?? document.source],
          ['Key', document.key],
          document.url === null ? null : ['Address', <Address key="url" url={document.url} />],
          ['Type', documentTypeText(document.content_type)],
          ['Language', languageText(document.language)],
          ['Size', formatBytes(document.bytes)],
          ['Passages', String(document.chunk_count)],
          ['Created', <Time key="created" at={document.created_at} />],
          ['Changed', <Time key="changed" at={document.updated_at} />],
        ]}
      />
      <RemoveDocument base={base} document={document} isUpload={source?.connector === 'upload'} />
    </Card>
  );
}

/** Renders a link only for web addresses, because the address comes from the source and is not trusted. */
export function Address({ url }: { url: string }): ReactNode {
  if (!/^https?:\/\//i.test(url)) return url;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  );
}

const NOT_PUSHED =
  'Only pushed documents can be removed individually. Change what the source reads, or delete the document at its origin.';

function RemoveDocument(props: { base: string; document: DocumentWithChunks; isUpload: boolean }): ReactNode {
  const { base, document, isUpload } = props;
  const refusal = useRefusal('knowledge:write');
  const navigate = useNavigate();
  return (
    <div className={styles.bar}>
      <ConfirmButton
        name="Remove document"
        title={`Remove ${document.title}?`}
        refusal={refusal ?? (isUpload ? null : NOT_PUSHED)}
        run={() => aas.documents.remove(base, document.source, { name: document.key })}
        changes={[...baseKey(base), 'documents']}
        onDone={() => void navigate({ to: '/knowledge/$id', params: { id: base }, search: { tab: 'documents' } })}
      >
        Runs can no longer find the document. This cannot be undone.
      </ConfirmButton>
    </div>
  );
}
