import { CircleAlert, Info, ShieldAlert } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import type { aas } from '../data/api.js';
import { CodeText, Place, Word } from '../ui/word.js';
import styles from './release.module.css';

export type CapabilityChange = Awaited<ReturnType<typeof aas.versions.compare>>['capability_changes'][number];

const LOOKS: Readonly<
  Record<CapabilityChange['severity'], readonly [string | undefined, ComponentType<{ size: number }>]>
> = {
  critical: [styles.critical, ShieldAlert],
  warning: [styles.warning, CircleAlert],
  info: [styles.info, Info],
};

/** Lists the capabilities that the agent gains and loses. The API returns the most serious change first. */
export function CapabilityChanges({ changes }: { changes: readonly CapabilityChange[] }): ReactNode {
  if (changes.length === 0) return <p className={styles.quiet}>The capabilities of the agent do not change.</p>;
  return (
    <ul className={styles.changes} aria-label="Capability changes">
      {changes.map(({ kind, severity, message, pointer }) => {
        const [look, Icon] = LOOKS[severity];
        return (
          <li key={`${kind} ${pointer} ${message}`} className={look}>
            <Icon size={15} />
            <div>
              <strong>
                <Word kind="severity" value={severity} />
              </strong>{' '}
              <span>
                <CodeText text={message} />
              </span>
              <div className={styles.quiet}>
                <Place pointer={pointer} />
              </div>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
