import { useEffect, useState } from 'react';
import { readDraft, storeDraft, type StoredDraft } from './stored-draft.js';

/** A text as the service has it. The version is null for an agent that does not exist yet. */
export interface SavedText {
  text: string;
  version: number | null;
}

export interface DraftState {
  text: string;
  /** The version that the text is based on: a save names it, so that no newer one is lost. */
  base: number | null;
  isDirty: boolean;
  /** When the text was left, if the page began with text that was not saved. */
  restoredAt: string | null;
  /** The browser does not keep the text. */
  isUnstored: boolean;
  change: (text: string) => void;
  /** The person has seen this version, which is newer than the one that the text is based on. */
  rebase: (version: number) => void;
  /** The service has saved this text. What was typed meanwhile stays. */
  markSaved: (saved: SavedText) => void;
  /** Begins again from this text; without one, from what was saved last. */
  replace: (saved?: SavedText) => void;
}

/** The text of the editor. The browser keeps each change, so that a reload or the end of a session loses nothing. */
export function useDraft(key: string, initial: SavedText): DraftState {
  const [saved, setSaved] = useState(initial);
  const [draft, setDraft] = useState(() => readDraft(key));
  const [isRestored, setRestored] = useState(draft !== undefined);
  const [isUnstored, setUnstored] = useState(false);
  const text = draft?.text ?? saved.text;
  const base = draft?.base ?? saved.version;
  const isDirty = text !== saved.text;
  useEffect(() => setUnstored(!storeDraft(key, isDirty ? draft : undefined)), [key, draft, isDirty]);
  return {
    text,
    base,
    isDirty,
    restoredAt: isRestored && isDirty ? (draft?.at ?? null) : null,
    isUnstored: isUnstored && isDirty,
    change: (next) => setDraft((current) => stored(next, current?.base ?? saved.version)),
    rebase: (version) => setDraft((current) => stored(current?.text ?? saved.text, version)),
    markSaved: (next) => {
      setSaved(next);
      setRestored(false);
      setDraft((current) => (current?.text === next.text ? undefined : current && { ...current, base: next.version }));
    },
    replace: (next = saved) => {
      setSaved(next);
      setRestored(false);
      setDraft(undefined);
    },
  };
}

function stored(text: string, base: number | null): StoredDraft {
  return { text, base, at: new Date().toISOString() };
}
