import { hasFileKeyword } from '@app/json-schema';
import type { JsonObject } from '@app/kernel';
import { type CapabilityChange, change, type Comparison, itemsByName, matched, placeOf } from './capability-change.js';
import { callbacksOf, nodesOf } from './step-changes.js';

type Path = readonly (string | number)[];

/** Mails have attachments, and senders of webhooks can send forms with files. */
const TRIGGERS_WITH_FILES: readonly unknown[] = ['email.received', 'webhook'];

export function fileInputChanges({ before, after }: Comparison): CapabilityChange[] {
  const { gained } = matched(placesWithFiles(before.raw), placesWithFiles(after.raw));
  return gained.map(([place, path]) =>
    change('file_input_gained', 'warning', `${place} takes files.`, path, [false, true]),
  );
}

function placesWithFiles(raw: JsonObject): ReadonlyMap<string, Path> {
  const forms = [...nodesOf('ask', raw)].map(
    ([id, node]) => [`The form of the step ${id}`, node.child('ask')] as const,
  );
  const callbacks = [...callbacksOf(raw)].map(([id, node]) => [`The callback of the step ${id}`, node] as const);
  const triggers = [...itemsByName(raw, 'triggers', 'id')].filter(([, { type }]) => TRIGGERS_WITH_FILES.includes(type));
  return new Map<string, Path>([
    ...(hasFileKeyword(raw.input ?? null) ? [['The input', ['input']] as const] : []),
    ...[...forms, ...callbacks]
      .filter(([, node]) => hasFileKeyword(node.value))
      .map(([place, { path }]) => [place, path] as const),
    ...triggers.map(([id]) => [`The trigger ${id}`, placeOf(raw, 'triggers', 'id', id)] as const),
  ]);
}
