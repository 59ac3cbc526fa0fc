import type { JsonObject } from '@app/kernel';
import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { compileDefinition } from '../compile/compile-definition.js';
import { type CapabilityChange, CHANGE_SEVERITIES } from './capability-change.js';
import { connectionChanges } from './connection-changes.js';
import { exposureChanges } from './exposure-changes.js';
import { fileInputChanges } from './file-input-changes.js';
import { modelChanges } from './model-changes.js';
import { reachChanges } from './reach-changes.js';
import { ruleChanges } from './rule-changes.js';
import { stateChanges } from './state-changes.js';
import { stepChanges } from './step-changes.js';
import { toolChanges } from './tool-changes.js';

export interface DefinitionComparison {
  /** JSON Patch (RFC 6902) from the older to the newer definition. */
  patch: Operation[];
  /** Sorted by severity, the most severe first. */
  capabilityChanges: CapabilityChange[];
}

export function compareDefinitions(before: JsonObject, after: JsonObject): DefinitionComparison {
  const comparison = {
    before: { raw: before, compiled: compileDefinition(before) },
    after: { raw: after, compiled: compileDefinition(after) },
  };
  const changes = [
    ...modelChanges(comparison),
    ...toolChanges(comparison),
    ...stateChanges(comparison),
    ...connectionChanges(comparison),
    ...ruleChanges(comparison),
    ...reachChanges(comparison),
    ...fileInputChanges(comparison),
    ...exposureChanges(comparison),
    ...stepChanges(comparison),
  ];
  const severityRank = ({ severity }: CapabilityChange): number => CHANGE_SEVERITIES.indexOf(severity);
  return {
    patch: fastJsonPatch.compare(before, after),
    capabilityChanges: changes.toSorted((one, other) => severityRank(other) - severityRank(one)),
  };
}
