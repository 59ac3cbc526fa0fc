import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import styles from './run.module.css';
import type { AnyStep } from './step-facts.js';

interface Passage {
  document: string;
  text: string;
}

/** Lists the documents that a retrieval step found, or that a model response cites. */
export function RetrievedDocuments({ step }: { step: AnyStep }): ReactNode {
  const passages = [...found(step), ...cited(step)];
  if (passages.length === 0) return null;
  const bases = Array.isArray(step.knowledge_bases) ? (step.knowledge_bases as string[]) : [];
  return (
    <div>
      <h3>{step.type === 'retrieval' ? 'Documents' : 'Citations'}</h3>
      <ul className={styles.documents}>
        {passages.map(({ document, text }, index) => (
          <li key={`${document} ${index}`}>
            {bases.length === 1 ? <DocumentLink base={bases[0] ?? ''} document={document} /> : <code>{document}</code>}{' '}
            <span className={styles.quiet}>{text}</span>
          </li>
        ))}
      </ul>
      {bases.length > 1 && (
        <p className={styles.links}>
          {bases.map((base) => (
            <Link key={base} to={addressOf(base)}>
              {base}
            </Link>
          ))}
        </p>
      )}
    </div>
  );
}

/**
 * Returns the path of the page of a knowledge base. The path contains the name of the knowledge base, because retrieval
 * steps do not contain its id.
 */
function addressOf(base: string): string {
  return `/knowledge/name:${base}`;
}

function DocumentLink({ base, document }: { base: string; document: string }): ReactNode {
  return (
    <Link to={addressOf(base)} search={{ tab: 'documents', document }}>
      {document}
    </Link>
  );
}

function found({ documents }: AnyStep): Passage[] {
  const list = (Array.isArray(documents) ? documents : []) as { id: string; version: number; score: number }[];
  return list.map(({ id, version, score }) => ({
    document: id,
    text: `version ${version}, score ${score.toFixed(2)}`,
  }));
}

function cited({ citations }: AnyStep): Passage[] {
  const list = (Array.isArray(citations) ? citations : []) as {
    document: { id: string; title?: string | null; version?: number };
    chunk: number;
  }[];
  return list.map(({ document: { id, title, version }, chunk }) => ({
    document: id,
    text: `${title ?? ''} version ${version ?? '?'}, passage ${chunk}`.trim(),
  }));
}
