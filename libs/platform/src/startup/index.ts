/** The start of a process: its addresses, and waiting for the database while it answers probes. */
export { type AddressConfig, addressConfig } from './address.config.js';
export { limitHeapGrowth } from './heap-growth.js';
export { receiveParentMessages } from './parent-messages.js';
export { waitForDatabase } from './wait-for-database.js';
