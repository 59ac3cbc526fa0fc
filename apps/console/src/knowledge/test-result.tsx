import type { ReactNode } from 'react';
import type { aas } from '../data/api.js';
import { formatCount } from '../ui/format-values.js';
import { Notice } from '../ui/notice.js';
import { FailureText } from './failure-text.js';
import styles from './knowledge.module.css';

type SourceTest = Awaited<ReturnType<typeof aas.sources.test>>;

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  website: ['page', 'pages'],
  sitemap: ['page', 'pages'],
  git: ['file', 'files'],
  postgres: ['row', 'rows'],
  mysql: ['row', 'rows'],
};

/** What a test of a source found, or why the source cannot be read. */
export function TestResult({ kind, result }: { kind: string; result: SourceTest | undefined }): ReactNode {
  if (result === undefined) return null;
  const { documents, is_complete: isComplete, titles, failures, error } = result;
  const [one, many] = NOUNS[kind] ?? ['document', 'documents'];
  const found = `${isComplete ? '' : 'At least '}${formatCount(documents)} ${documents === 1 ? one : many} found`;
  const isGood = error === null && titles.length > 0;
  const title = error === null ? found : 'The source cannot be read';
  return (
    <Notice tone={isGood ? 'green' : 'amber'} title={title}>
      {error && <FailureText {...error} />}
      {titles.length > 0 && <p className={styles.breaking}>For example: {titles.join(', ')}</p>}
      {error === null && titles.length === 0 && <p>None of them could be read as a document.</p>}
      {failures.map(({ key, ...failure }) => (
        <div key={key}>
          <code className={styles.breaking}>{key}</code>
          <FailureText {...failure} />
        </div>
      ))}
    </Notice>
  );
}
