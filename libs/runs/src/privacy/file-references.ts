import { type FileReference, fileValuesIn } from '@app/files';
import type { JsonValue } from '@app/kernel';
import type { RedactPath } from './redact-paths.js';
import type { RunPrivacy } from './run-privacy.js';

/** A value that is recorded, and where. */
export interface RecordedPlace {
  value: JsonValue | undefined;
  /** Path of the step, or null for the input and the output of the run. */
  step: string | null;
  /** The places of the value, as in `redact.paths`. The first one names its files. */
  places: readonly RedactPath[];
}

/**
 * Returns the files to which the value refers.
 * @param granted whether the caller has checked that the run may use all of them
 */
export function referencesIn(
  { value, step, places }: RecordedPlace,
  privacy: RunPrivacy,
  granted: boolean = false,
): FileReference[] {
  if (value === undefined) return [];
  const found = fileValuesIn(value);
  if (found.length === 0) return [];
  const sealed = privacy.redactsNothing ? value : privacy.sealed(value, ...places);
  const shown = new Set(fileValuesIn(sealed).map(({ path }) => path.join('.')));
  return found.map(({ id, path }) => ({
    file: id,
    place: [...(places[0] ?? []), ...path].join('.'),
    step,
    redacted: !shown.has(path.join('.')),
    ...(granted && { granted }),
  }));
}
