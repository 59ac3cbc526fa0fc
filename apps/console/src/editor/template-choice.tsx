import { type ReactNode, useEffect, useState } from 'react';
import { Card } from '../ui/page.js';
import styles from './editor.module.css';
import { type DefinitionTemplate, readCookbook, TEMPLATES } from './templates.js';

export function TemplateChoice({ onChoose }: { onChoose: (text: string) => void }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Start from" flush>
      <TemplateList templates={TEMPLATES} onChoose={onChoose} />
      <details className={styles.cookbook} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Agents of the cookbook</summary>
        {isOpen && <CookbookChoice onChoose={onChoose} />}
      </details>
    </Card>
  );
}

/**
 * Lists the agents of the cookbook. They are loaded only when a person opens the list, because they are as large as the
 * editor.
 */
function CookbookChoice({ onChoose }: { onChoose: (text: string) => void }): ReactNode {
  const [templates, setTemplates] = useState<readonly DefinitionTemplate[]>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    readCookbook().then(setTemplates, () => setFailed(true));
  }, []);
  if (hasFailed)
    return (
      <p className={styles.quiet} role="alert">
        The cookbook could not be loaded. Close the list and open it again.
      </p>
    );
  return templates ? (
    <TemplateList templates={templates} onChoose={onChoose} />
  ) : (
    <p className={styles.quiet} role="status">
      Loading …
    </p>
  );
}

interface TemplateListProps {
  templates: readonly DefinitionTemplate[];
  onChoose: (text: string) => void;
}

function TemplateList({ templates, onChoose }: TemplateListProps): ReactNode {
  return (
    <ul className={styles.templates}>
      {templates.map(({ title, description, text }) => (
        <li key={`${title} ${description}`}>
          <button type="button" onClick={() => onChoose(text)}>
            <strong>{title}</strong>
            <span className={styles.quiet}>{description}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
