import { type CapabilityChange, change, type Comparison, isEqual, memberOf } from './capability-change.js';

const PATH = ['expose', 'mcp'];

export function exposureChanges({ before, after }: Comparison): CapabilityChange[] {
  const [was, is] = [memberOf(before.raw.expose, 'mcp'), memberOf(after.raw.expose, 'mcp')];
  if (isEqual(was, is)) return [];
  const tool = after.compiled.mcp?.tool ?? before.compiled.mcp?.tool ?? '';
  if (was === null)
    return [change('exposure_mcp_gained', 'critical', `Assistants can use it as the tool ${tool}.`, PATH, [was, is])];
  if (is === null)
    return [
      change('exposure_mcp_lost', 'info', `Assistants can no longer use it as the tool ${tool}.`, PATH, [was, is]),
    ];
  return [change('exposure_mcp_changed', 'warning', `Its tool ${tool} for assistants has changed.`, PATH, [was, is])];
}
