import { useQuery } from '@tanstack/react-query';
import { BookOpen, Bot, KeyRound, Link2, Users, Wrench } from 'lucide-react';
import { type ComponentType, type ReactNode, useState } from 'react';
import { Button } from '../ui/button.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Card } from '../ui/page.js';
import { CodeText } from '../ui/word.js';
import { objectOf, textOf } from '../plan/definition-json.js';
import { needsOf, type Needs } from '../plan/definition-needs.js';
import styles from './editor.module.css';
import { type Example, EXAMPLES, readCookbook } from './examples.js';

interface Choice {
  onChoose: (example: Example) => void;
}

/** The examples to start from, while the text of the editor is empty. */
export function ExampleGallery(choice: Choice): ReactNode {
  return (
    <Card title="Start from an example">
      <Examples {...choice} />
    </Card>
  );
}

/** A button that replaces a text by an example, after the person has confirmed it. */
export function InsertExample({ onChoose }: Choice): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<Example>();
  const close = (): void => {
    setOpen(false);
    setChosen(undefined);
  };
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Insert example
      </Button>
      <Dialog
        title={chosen ? `Replace your text by “${chosen.title}”?` : 'Insert example'}
        isOpen={isOpen}
        onClose={close}
      >
        {chosen === undefined ? (
          <Examples onChoose={setChosen} />
        ) : (
          <p>The example takes the place of the whole text. Undo it with Ctrl Z.</p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          {chosen !== undefined && (
            <Button
              look="primary"
              onClick={() => {
                onChoose(chosen);
                close();
              }}
            >
              Replace text
            </Button>
          )}
        </DialogActions>
      </Dialog>
    </>
  );
}

function Examples({ onChoose }: Choice): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Tiles label="Examples" examples={EXAMPLES} onChoose={onChoose} />
      <details className={styles.cookbook} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Agents of the cookbook</summary>
        {isOpen && <CookbookExamples onChoose={onChoose} />}
      </details>
    </>
  );
}

/**
 * Lists the agents of the cookbook. They are loaded only when a person opens the list, because they are as large as the
 * editor.
 */
function CookbookExamples({ onChoose }: Choice): ReactNode {
  const { data: examples, error } = useQuery({
    queryKey: ['module', 'cookbook'],
    queryFn: readCookbook,
    staleTime: Infinity,
  });
  if (error !== null)
    return (
      <p className={styles.quiet} role="alert">
        The cookbook could not be loaded. Close the list and open it again.
      </p>
    );
  if (examples === undefined)
    return (
      <p className={styles.quiet} role="status">
        Loading …
      </p>
    );
  return <Tiles label="Agents of the cookbook" examples={examples} onChoose={onChoose} />;
}

function Tiles({ label, examples, onChoose }: Choice & { label: string; examples: readonly Example[] }): ReactNode {
  const { data: reader } = useQuery({
    queryKey: ['module', 'definition-text'],
    queryFn: () => import('./definition-text.js'),
    staleTime: Infinity,
  });
  return (
    <ul className={styles.tiles} aria-label={label}>
      {examples.map((example) => (
        <li key={example.file}>
          <Tile example={example} definition={reader?.readDefinition(example.text)} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  );
}

function Tile({ example, definition, onChoose }: Choice & { example: Example; definition: unknown }): ReactNode {
  const { title, description = textOf(objectOf(definition).description), text } = example;
  return (
    <button type="button" onClick={() => onChoose(example)}>
      <strong>{title}</strong>
      <span className={styles.quiet}>
        <CodeText text={description} />
      </span>
      {definition !== undefined && <NeedsOf needs={needsOf(definition, text)} />}
    </button>
  );
}

const KINDS: readonly (readonly [
  kind: keyof Needs,
  Icon: ComponentType<{ size: number }>,
  one: string,
  more: string,
])[] = [
  ['models', Bot, 'model', 'models'],
  ['tools', Wrench, 'tool', 'tools'],
  ['secrets', KeyRound, 'secret', 'secrets'],
  ['connections', Link2, 'connection', 'connections'],
  ['bases', BookOpen, 'knowledge base', 'knowledge bases'],
  ['groups', Users, 'group', 'groups'],
];

function NeedsOf({ needs }: { needs: Needs }): ReactNode {
  const listed = KINDS.filter(([kind]) => needs[kind].length > 0);
  if (listed.length === 0) return <span className={styles.needs}>Needs nothing else.</span>;
  return (
    <span className={styles.needs}>
      <span>Needs</span>
      {listed.map(([kind, Icon, one, more]) => (
        <span key={kind}>
          <Icon size={13} /> {needs[kind].length === 1 ? one : more} {needs[kind].join(', ')}
        </span>
      ))}
    </span>
  );
}
