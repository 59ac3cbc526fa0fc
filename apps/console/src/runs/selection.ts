/** Which runs are chosen for an action on many. */
export interface Selection {
  ids: ReadonlySet<string>;
  /** The run that was chosen last, from which a range begins. */
  anchor?: string;
}

export const NOTHING_SELECTED: Selection = { ids: new Set() };

/** Adds or removes a run; with `isRange`, everything between it and the one before becomes like it. */
export function toggleRun(selection: Selection, id: string, shown: readonly string[], isRange = false): Selection {
  const ids = new Set(selection.ids);
  const isAdded = !ids.has(id);
  const from = isRange && selection.anchor !== undefined ? shown.indexOf(selection.anchor) : -1;
  const to = shown.indexOf(id);
  const changed = from < 0 || to < 0 ? [id] : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const each of changed) {
    if (isAdded) ids.add(each);
    else ids.delete(each);
  }
  return { ids, anchor: id };
}

/** All shown runs, or none if they are chosen already. */
export function toggleAll(selection: Selection, shown: readonly string[]): Selection {
  return shown.every((id) => selection.ids.has(id)) ? NOTHING_SELECTED : { ids: new Set(shown) };
}
