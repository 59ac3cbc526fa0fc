/** What a process does before it can work: it waits for its database, and answers probes meanwhile. */
export { hearParent } from './hear-parent.js';
export { waitForDatabase } from './wait-for-database.js';
