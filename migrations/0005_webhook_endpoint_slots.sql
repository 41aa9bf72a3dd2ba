-- How many deliveries of a subscription may be in flight: each quick success adds one, the first slowness halves them.
alter table platform.webhook_endpoint add column slots int not null default 8;

-- Slots that have run out are found by their time.
create index webhook_delivery_expired_slots on platform.webhook_delivery (slot_until) where slot_until is not null;
