import type { ReactNode } from 'react';
import { CopyButton } from '../ui/copy-button.js';
import { JsonTree } from '../ui/json-tree.js';
import { curlCommand, type SentRequest as Sent } from '../ui/curl.js';
import styles from './run.module.css';
import type { AnyStep } from './step-facts.js';

/** The HTTP request of a call. Without headers, the run redacts values, and the request cannot be sent again. */
export function SentRequest({ step }: { step: AnyStep }): ReactNode {
  const http = step.http as Sent | undefined;
  if (http === undefined) return null;
  return (
    <>
      <p className={styles.callback}>
        <code>
          {http.method} {http.url}
        </code>
      </p>
      {http.headers !== undefined && (
        <div>
          <CopyButton text={curlCommand(http)} name="Copy as curl" />
        </div>
      )}
    </>
  );
}

/** The API returns the response only with a single step. */
export function ToolResponse({ step }: { step: AnyStep }): ReactNode {
  return step.response === undefined ? null : <JsonTree label="Response" value={step.response} />;
}
