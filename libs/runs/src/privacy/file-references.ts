import type { FileReference } from '@app/files';
import { fileValuesBelow, fileValuesIn, type JsonValue } from '@app/kernel';
import type { RedactPath } from './redact-paths.js';
import type { RunPrivacy } from './run-privacy.js';

/** A value that is recorded, and where. */
export interface RecordedPlace {
  value: JsonValue | undefined;
  /** Path of the step, or null for the input and the output of the run. */
  step: string | null;
  /** The places of the value, as in `redact.paths`. The first one names its files. */
  places: readonly RedactPath[];
  /** The value itself is no file, even if it has a member `file`: the input of a run. */
  isRoot?: boolean;
}

/**
 * Returns the files to which the value refers.
 * @param granted the files that the caller has looked up and that the run may use
 */
export function referencesIn(
  { value, step, places, isRoot = false }: RecordedPlace,
  privacy: RunPrivacy,
  granted?: { has(id: string): boolean },
): FileReference[] {
  if (value === undefined) return [];
  const search = isRoot ? fileValuesBelow : fileValuesIn;
  const found = search(value);
  if (found.length === 0) return [];
  const sealed = privacy.redactsNothing ? value : privacy.sealed(value, ...places);
  const shown = new Set(search(sealed).map(({ path }) => path.join('.')));
  return found.map(({ id, path }) => ({
    file: id,
    place: [...(places[0] ?? []), ...path].join('.'),
    step,
    redacted: !shown.has(path.join('.')),
    ...(granted?.has(id) && { granted: true as const }),
  }));
}
