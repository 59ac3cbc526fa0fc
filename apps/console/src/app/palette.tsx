import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { useKnownMembers } from '../data/known-things.js';
import { useCaller } from '../data/session.js';
import { GUIDES_PATH } from '../data/guides.js';
import controls from '../ui/controls.module.css';
import { Dialog } from '../ui/dialog.js';
import { entriesFor, type Entry, type Known } from './palette-entries.js';
import styles from './palette.module.css';

const LABEL = 'Page, action, agent, person, label or id';

/** Command palette: opens a page or a resource, or leads to an action. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const list = useId();
  const scopes = useCaller()?.scopes;
  const entries = entriesFor(text, useKnown());
  const mayChoose = ({ scope }: Entry): boolean => scope === undefined || (scopes?.includes(scope) ?? false);
  const go = (entry: Entry): void => {
    if (!mayChoose(entry)) return;
    const { path, search = {}, hash = '' } = entry;
    onClose();
    if (path === GUIDES_PATH) location.assign(path);
    else void navigate({ to: path, search, hash });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Enter' && entries[chosen]) go(entries[chosen]);
    if (step === 0 || entries.length === 0) return;
    event.preventDefault();
    setChosen((chosen + step + entries.length) % entries.length);
  };
  return (
    <Dialog title="Go to" isOpen onClose={onClose}>
      <input
        className={controls.input}
        role="combobox"
        aria-label={LABEL}
        aria-expanded
        aria-controls={list}
        aria-activedescendant={entries[chosen] && `${list}-${chosen}`}
        placeholder={LABEL}
        autoFocus
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
      />
      <ul id={list} role="listbox" aria-label="Results" className={styles.list}>
        {entries.map((entry, index) => (
          <li
            key={`${entry.kind} ${entry.name} ${entry.path}`}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            aria-disabled={!mayChoose(entry)}
            className={styles.entry}
            onClick={() => go(entry)}
          >
            <bdi>{entry.name}</bdi>
            <span>{mayChoose(entry) ? entry.kind : `Needs the scope ${entry.scope}`}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p role="status">No results</p>}
    </Dialog>
  );
}

/** Reads what the palette finds by name, as far as the person may read it. */
function useKnown(): Known {
  const agents = useAgents();
  const bases = useQuery({
    queryKey: ['knowledge-bases', 'names'],
    queryFn: () => aas.knowledgeBases.list({ limit: 100 }),
  });
  const { options: members } = useKnownMembers();
  return { agents, bases: bases.data?.data ?? [], members };
}
