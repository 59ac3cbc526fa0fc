import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './tabs.module.css';

export interface TabsProps {
  label: string;
  tabs: readonly { value: string; label: string }[];
  selected: string;
  onSelect: (value: string) => void;
  children: ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs with the content of the selected tab. The left and right arrow keys select another tab. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps): ReactNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen, the tabs scroll sideways. The page itself must not scroll.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>(`[data-value="${selected}"]`);
    if (list.current && tab) list.current.scrollLeft = tab.offsetLeft + tab.offsetWidth - list.current.clientWidth;
  }, [selected]);
  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    const at = tabs.findIndex(({ value }) => value === selected);
    const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.value);
    list.current?.querySelector<HTMLElement>(`[data-value="${next.value}"]`)?.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className={styles.tabs} onKeyDown={move}>
        {tabs.map(({ value, label: name }) => (
          <button
            key={value}
            type="button"
            role="tab"
            id={`${id}-${value}`}
            data-value={value}
            aria-selected={value === selected}
            aria-controls={value === selected ? `${id}-panel` : undefined}
            tabIndex={value === selected ? 0 : -1}
            className={styles.tab}
            onClick={() => onSelect(value)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className={styles.panel}>
        {children}
      </div>
    </>
  );
}
