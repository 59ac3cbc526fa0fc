import { createHash } from 'node:crypto';
import { fail, type FunctionSpec, isEngineMap, membersOf } from './function-spec.js';

/** The namespace of the UUIDs, which is itself a random UUID. */
const NAMESPACE = Buffer.from('5f0c9d6e4a0b4c0e9b1f7a3c8f2d6e15', 'hex');
const BYTES = 16;

/** Returns a UUID (version 5) of the run and the name. In one run, a name always gives the same UUID. */
function uuid(run: unknown, name: string): string {
  const id = isEngineMap(run) ? new Map(membersOf(run)).get('id') : undefined;
  if (typeof id !== 'string') fail('needs the id of the run, which is not available here', 'missing_field');
  const bytes = createHash('sha1').update(NAMESPACE).update(`${id}\n${name}`).digest().subarray(0, BYTES);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The first argument is the variable `run`. */
export const UUID_FUNCTIONS: readonly FunctionSpec[] = [['run.uuid(dyn, string): string', uuid]];
