export { type AddressConfig, addressConfig } from './address.config.js';
export { type DataDirectoryConfig, dataDirectoryConfig } from './data-directory.config.js';
export { limitHeapGrowth, receiveParentMessages, waitForDatabase } from './process-start.js';
