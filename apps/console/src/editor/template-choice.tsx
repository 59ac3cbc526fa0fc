import type { ReactNode } from 'react';
import { Card } from '../ui/page.js';
import styles from './editor.module.css';
import { TEMPLATES } from './templates.js';

/** Replaces the text by a complete example. Undo restores the previous text. */
export function TemplateChoice({ onChoose }: { onChoose: (text: string) => void }): ReactNode {
  return (
    <Card title="Start from" flush>
      <ul className={styles.templates}>
        {TEMPLATES.map(({ title, description, text }) => (
          <li key={title}>
            <button type="button" onClick={() => onChoose(text)}>
              <strong>{title}</strong>
              <span className={styles.quiet}>{description}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
