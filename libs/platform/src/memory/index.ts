/** How much memory a process takes. */
export { limitHeapGrowth } from './heap-growth.js';
