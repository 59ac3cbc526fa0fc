import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { readDraft, storeDraft, type StoredDraft } from './stored-draft.js';

/** The latest definition that the service has stored. `version` is null if the agent has not been created yet. */
export interface SavedText {
  text: string;
  version: number | null;
}

export interface DraftState {
  text: string;
  /**
   * Version on which the text in the editor is based. A save sends it as `If-Match`, so that the save cannot overwrite
   * a newer version.
   */
  base: number | null;
  isDirty: boolean;
  /** Time of the last change if the page restored unsaved text from an earlier visit. Null otherwise. */
  restoredAt: string | null;
  /** True if the browser could not store the unsaved text. */
  isUnstored: boolean;
  change: (text: string) => void;
  /** Call this when the page shows a newer version to the person. The next save is then based on `version`. */
  rebase: (version: number) => void;
  /** Call this when the service has saved a text. Later changes in the editor are kept. */
  markSaved: (saved: SavedText) => void;
  /** Replaces the text by `saved`, or by the last saved text if `saved` is missing. */
  replace: (saved?: SavedText) => void;
}

/**
 * Returns the state of the text in the editor. Stores each change in the browser, so that no text is lost if the page
 * is reloaded or the session ends.
 */
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

/**
 * If the page URL has `?case=<run id>`, adds an evaluation case with the data of this run to the definition. Then
 * removes the parameter from the URL, so that the case is added only once.
 */
export function useAddedCase(draft: DraftState): void {
  const search: Search = useSearch({ strict: false });
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const id = one(search.case);
  const { data: run } = useQuery({
    queryKey: ['run', id],
    queryFn: () => aas.runs.get(id ?? ''),
    enabled: id !== undefined,
  });
  const add = useEffectEvent(async (from: Run) => {
    const { withCase } = await import('./definition-text.js');
    draft.change(withCase(draft.text, from));
    await navigate({ to: pathname, search: { ...search, case: undefined }, replace: true });
  });
  useEffect(() => {
    if (id !== undefined && run !== undefined) void add(run);
  }, [id, run]);
}
