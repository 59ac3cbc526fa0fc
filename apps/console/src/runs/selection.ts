export interface Selection {
  ids: ReadonlySet<string>;
  /** True if all runs that match the filters are selected, including runs that are not shown. `ids` is then ignored. */
  isAll?: boolean;
  /** The run that was toggled last. A range selection begins at this run. */
  anchor?: string;
}

export const NOTHING_SELECTED: Selection = { ids: new Set() };
export const ALL_SELECTED: Selection = { ids: new Set(), isAll: true };

/** Returns the ids of the selected runs. If all matching runs are selected, returns the ids of the shown runs. */
export function chosenIds({ ids, isAll = false }: Selection, shown: readonly string[]): ReadonlySet<string> {
  return isAll ? new Set(shown) : ids;
}

/**
 * Selects a run, or deselects it if it is selected. If `isRange` is true, all runs from the anchor to this run get the
 * new state of this run.
 * `shown` contains the ids of the listed runs, in order.
 */
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

/** Selects all shown runs. If all of them are already selected, clears the selection. */
export function toggleAll(selection: Selection, shown: readonly string[]): Selection {
  const ids = chosenIds(selection, shown);
  return shown.every((id) => ids.has(id)) ? NOTHING_SELECTED : { ids: new Set(shown) };
}
