/**
 * The id of the step in the definition that a recorded path belongs to: its last part, without what a model did there
 * (`triage.turn[2].call[1]` is `triage`). Null where no step has asked the model. Ids hold no brackets. The same as
 * sql/step_of.sql.
 */
export function stepOf(path: string): string | null {
  const [own = ''] = path.split('#');
  const place = own.replace(/(^|\.)turn\[\d+\](\.call\[\d+\])?$/, '');
  return place.slice(place.lastIndexOf('.') + 1) || null;
}
