import { register } from 'node:module';

/**
 * Loads the conformance suite of the protocol on Node 20, whose `fs` has no `globSync`. The suite imports it for its
 * report on repositories, which no test uses.
 */
const FS = `data:text/javascript,${encodeURIComponent(`export * from 'node:fs'; export const globSync = undefined;`)}`;
const HOOKS = `export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    ? { url: ${JSON.stringify(FS)}, shortCircuit: true }
    : next(specifier, context);`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
