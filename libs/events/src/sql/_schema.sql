-- The two operations of a sender: claiming deliveries and recording what became of them. Deliveries are made by
-- run_machine.owe_deliveries, in the transaction of their event.
create schema if not exists webhooks;
