import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { Dialog } from '../ui/dialog.js';
import { aas } from '../data/api.js';
import controls from '../ui/controls.module.css';
import styles from './palette.module.css';
import { type Entry, entriesFor, GUIDES_PATH } from './palette-entries.js';

/** Command palette: opens a page, an agent by name, or a resource by id. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const list = useId();
  const agents = useQuery({ queryKey: ['agents', 'names'], queryFn: () => aas.agents.list({ limit: 100 }) });
  const entries = entriesFor(text, agents.data?.data ?? []);
  const go = ({ path }: Entry): void => {
    onClose();
    if (path === GUIDES_PATH) location.assign(path);
    else void navigate({ to: path });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const entry = entries[chosen];
    if (event.key === 'Enter' && entry) go(entry);
    if (step === 0 || entries.length === 0) return;
    event.preventDefault();
    setChosen((chosen + step + entries.length) % entries.length);
  };
  return (
    <Dialog title="Go to" isOpen onClose={onClose}>
      <input
        className={controls.input}
        role="combobox"
        aria-label="Page, agent or id"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={entries[chosen] && `${list}-${chosen}`}
        placeholder="Page, agent or id"
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
            key={entry.path}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={styles.entry}
            onClick={() => go(entry)}
          >
            {entry.name}
            <span>{entry.kind}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p role="status">No results</p>}
    </Dialog>
  );
}
