-- What an endpoint has answered beside its body; what may be a credential is masked before it is written.
alter table platform.webhook_attempt add column response_headers jsonb;
