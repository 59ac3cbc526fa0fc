-- Functions that the SQL of every lib may call: ids, times, and logs that are partitioned by month.
create schema if not exists platform;
