import type { ReactNode } from 'react';
import { Dialog } from '../ui/dialog.js';
import styles from './key-help.module.css';
import { KEY_GROUPS } from './key-groups.js';

export function KeyHelp({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" isOpen onClose={onClose}>
      {KEY_GROUPS.map(({ title, keys }) => (
        <section key={title} className={styles.group} aria-label={title}>
          <h3>{title}</h3>
          <dl>
            {keys.map(([pressed, does]) => (
              <div key={pressed}>
                <dt>
                  {pressed.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p>
        Single-letter keys have no effect while you type in a field. No key approves, rejects or stops anything by
        itself.
      </p>
    </Dialog>
  );
}
