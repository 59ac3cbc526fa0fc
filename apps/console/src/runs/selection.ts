/** Which runs are chosen for an action on many. */
export interface Selection {
  ids: ReadonlySet<string>;
  /** All runs that match the filters, also those that are not shown. `ids` does not count then. */
  isAll?: boolean;
  /** The run that was chosen last, from which a range begins. */
  anchor?: string;
}

export const NOTHING_SELECTED: Selection = { ids: new Set() };
export const ALL_SELECTED: Selection = { ids: new Set(), isAll: true };

/** Those of the shown runs that are chosen, and chosen ones that are no longer shown. */
export function chosenIds({ ids, isAll = false }: Selection, shown: readonly string[]): ReadonlySet<string> {
  return isAll ? new Set(shown) : ids;
}

/** Adds or removes a run; with `isRange`, everything between it and the one before becomes like it. */
export function toggleRun(selection: Selection, id: string, shown: readonly string[], isRange = false): Selection {
  const ids = new Set(chosenIds(selection, shown));
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
  const ids = chosenIds(selection, shown);
  return shown.every((id) => ids.has(id)) ? NOTHING_SELECTED : { ids: new Set(shown) };
}
