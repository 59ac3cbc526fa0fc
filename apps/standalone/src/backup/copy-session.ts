/**
 * Settings of a database session that runs COPY for a backup. Because of these settings, the output of COPY does not
 * depend on the configuration and the version of the server. Timeouts are off, because copying a large database takes
 * long.
 */
export const COPY_SESSION = `
  set client_encoding to 'UTF8'; set datestyle to 'ISO, MDY'; set intervalstyle to 'postgres'; set timezone to 'UTC';
  set extra_float_digits to 1; set bytea_output to 'hex'; set xmloption to 'content'; set search_path to '';
  set row_security to off; set statement_timeout to 0; set lock_timeout to 0;
  set idle_in_transaction_session_timeout to 0`;
