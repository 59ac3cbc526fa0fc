/**
 * Finds cycles of folders in the JSON output of dependency-cruiser. dependency-cruiser itself finds cycles of files and
 * of sibling folders, but no cycle between a folder and its subfolder.
 *
 * The files directly in a folder form one node of the graph. Entry points (`index.ts`), modules and registries combine
 * the code of their subfolders, so their imports do not count as dependencies of their folder.
 */
import { basename, dirname } from 'node:path/posix';

const PRODUCT = /^(apps|libs|packages)\//;
const TEST_CODE = /\.(spec|int-spec|e2e-spec|browser-spec)\.tsx?$|\/testing\//;
const COLLECTS = /^(index|registry)\.tsx?$|\.module\.ts$/;

/**
 * @param {readonly {source: string, dependencies: readonly {resolved: string}[]}[]} modules `modules` of the output
 * @returns {string[][]} each strongly connected set of two or more folders, sorted by name
 */
export function folderCycles(modules) {
  return stronglyConnected(folderGraph(modules));
}

/** @returns {Map<string, Set<string>>} the folders that each folder imports */
function folderGraph(modules) {
  const graph = new Map();
  const isCounted = (file) => PRODUCT.test(file) && !TEST_CODE.test(file);
  for (const { source, dependencies } of modules) {
    if (!isCounted(source) || COLLECTS.test(basename(source))) continue;
    const from = dirname(source);
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const { resolved } of dependencies) {
      if (isCounted(resolved) && dirname(resolved) !== from) targets.add(dirname(resolved));
    }
  }
  return graph;
}

/** Tarjan's algorithm: visits each folder and each import once. */
function stronglyConnected(graph) {
  const order = new Map();
  const lowest = new Map();
  const stack = [];
  const cycles = [];
  const visit = (node) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node), lowest.get(next)));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const members = stack.splice(stack.indexOf(node));
    if (members.length > 1) cycles.push(members.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort((a, b) => a[0].localeCompare(b[0]));
}
