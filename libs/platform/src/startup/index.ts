export { type AddressConfig, addressConfig } from './address.config.js';
export { limitHeapGrowth, receiveParentMessages, waitForDatabase } from './process-start.js';
