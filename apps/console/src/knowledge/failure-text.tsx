import type { ReactNode } from 'react';
import { Word } from '../ui/word.js';
import styles from './knowledge.module.css';

interface Failure {
  code: string;
  message: string;
}

/** What a person can do about the errors of a sync. */
const REMEDIES: Readonly<Record<string, string>> = {
  access_denied: 'Check the secret of the source, and what its account may read.',
  token_refused: 'Check the secret of the source, and what its account may read.',
  authorization_revoked: 'Renew the permission.',
  robots_refused: 'Ask the owner of the site. If they allow it, switch off "Obey robots.txt" of the source.',
  document_unreadable: 'If it is a scan, add its text with a program for text recognition (OCR), then upload it again.',
  document_too_large: 'Divide the document into smaller ones.',
  unsupported_media_type: 'Convert it to text, Markdown, HTML, CSV, PDF or Word.',
  document_lost: 'Upload it again.',
  lfs_pointer: 'Upload the document itself.',
  page_missing: 'Remove the address from the sitemap or the source.',
  characters_replaced: 'Correct the declared encoding, or the documents.',
  scope_missing: 'Change the source, and choose what it reads.',
};

function remedyOf(code: string): string | undefined {
  if (Object.hasOwn(REMEDIES, code)) return REMEDIES[code];
  if (code.startsWith('too_many_')) return 'Restrict the paths of the source.';
  return code.endsWith('_unreachable')
    ? 'Check the address, and whether it can be reached from the service.'
    : undefined;
}

/** An error of a sync or of a document in words, with what to do. */
export function FailureText({ code, message }: Failure): ReactNode {
  return (
    <p className={styles.invalid}>
      <strong>
        <Word kind="error" value={code} />
      </strong>
      : {message} {remedyOf(code)}
    </p>
  );
}
