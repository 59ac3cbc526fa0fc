import { isJsonObject, type JsonObject } from '@app/kernel';
import {
  type CapabilityChange,
  change,
  type Comparison,
  itemsByName,
  matchedChanges,
  memberOf,
  placeOf,
} from './capability-change.js';

export function connectionChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([connectionsByTool(before.raw), connectionsByTool(after.raw)], {
    gained: (tool, connection) =>
      change(
        'connection_gained',
        'warning',
        `The tool ${tool} uses the connection ${connection}.`,
        pathIn(after.raw, tool),
        [null, connection],
      ),
    lost: (tool, connection) =>
      change(
        'connection_lost',
        'info',
        `The tool ${tool} no longer uses the connection ${connection}.`,
        placeOf(before.raw, 'tools', 'name', tool),
        [connection, null],
      ),
    kept: (tool, one, other) => {
      if (one === other) return null;
      const message = `The tool ${tool} uses the connection ${other}, no longer ${one}.`;
      return change('connection_changed', 'warning', message, pathIn(after.raw, tool), [one, other]);
    },
  });
}

function connectionsByTool(raw: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    [...itemsByName(raw, 'tools', 'name')].flatMap(([tool, { auth }]): [string, string][] => {
      const connection = isJsonObject(auth) && auth.type === 'oauth2' ? memberOf(auth, 'connection') : null;
      return typeof connection === 'string' ? [[tool, connection]] : [];
    }),
  );
}

function pathIn(raw: JsonObject, tool: string): readonly (string | number)[] {
  return [...placeOf(raw, 'tools', 'name', tool), 'auth', 'connection'];
}
