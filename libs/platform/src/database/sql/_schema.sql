-- Functions that the SQL of every lib may call: ids, times, and tables that are partitioned by month (monthly logs).
create schema if not exists platform;
