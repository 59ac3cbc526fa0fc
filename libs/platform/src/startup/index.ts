export { type AddressConfig, addressConfig } from './address.config.js';
export { limitHeapGrowth, receiveParentMessages } from './process-start.js';
export { waitForDatabase } from './wait-for-database.js';
