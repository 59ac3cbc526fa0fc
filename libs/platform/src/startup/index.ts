/**
 * The start of a process: its addresses, and the wait for the database, during which the process responds to probes.
 */
export { type AddressConfig, addressConfig } from './address.config.js';
export { limitHeapGrowth, receiveParentMessages } from './process-start.js';
export { waitForDatabase } from './wait-for-database.js';
